/* A name comes first, then headings that contain the words as they are, titles that contain
   them anywhere, names that contain the word, and at last pages that only mention it. Names of
   Chainer come before those of ChainerX. */
var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) =>
    score + (kind === 'title' ? 60 : 0) - (docname.includes('chainer_fast.chainerx.') ? 1 : 0),
  objNameMatch: 200,
  objPartialMatch: 10,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 100,
  partialTitle: 50,
  term: 5,
  partialTerm: 2,
};
