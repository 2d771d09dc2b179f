/* Names and titles come before pages that only mention a word, and names of Chainer before
   those of ChainerX. */
var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) =>
    score + ({ object: 200, title: 100, index: 100 }[kind] || 0)
    - (docname.includes('chainer_fast.chainerx.') ? 1 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
