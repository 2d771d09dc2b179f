/* Checks the search of the built pages: node docs/check_search.js build/docs/html

   For each of these searches, the first result that a reader sees must be the page, and the
   section if one is named. The scripts and the index are those of the pages. */
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const FIRST = {
  'seed': 'guides/recipes#seed',
  'save model': 'guides/serialization#save-model-weights',
  'learning rate schedule': 'guides/recipes#learning-rate-schedule',
  'gradient accumulation': 'guides/recipes#gradient-accumulation',
  'freeze layers': 'guides/recipes#freeze-layers',
  'resume': 'guides/trainer#resume',
  'out of memory': 'guides/recipes#out-of-memory',
  'mixed precision': 'guides/devices#mixed-precision',
  'static_graph': 'reference/generated/chainer_fast.static_graph',
  'does static_graph pay': 'benchmark#does-static-graph-pay',
  'dropout': 'reference/generated/chainer_fast.functions.dropout',
  'convolution_2d': 'reference/generated/chainer_fast.functions.convolution_2d',
  'InvalidType': 'reference/generated/chainer_fast.utils.type_check.InvalidType',
  'VariableOrArray': 'reference/types',
};

const root = process.argv[2];
const context = vm.createContext({
  _ready: () => {}, _: (text) => text, document: {getElementById: () => null},
  SPHINX_HIGHLIGHT_ENABLED: false,
  DocumentOptions: {
    BUILDER: 'html', FILE_SUFFIX: '.html', LINK_SUFFIX: '.html', HAS_SOURCE: false},
});
context.window = context;
for (const file of ['_static/language_data.js', '_static/searchtools.js', 'searchindex.js'])
  vm.runInContext(fs.readFileSync(path.join(root, file), 'utf8'), context, file);
const search = vm.runInContext(
  '(words) => Search._performSearch(...Search._parseQuery(words))', context);

let wrong = 0;
for (const [words, expected] of Object.entries(FIRST)) {
  // The page takes results from the end of the list.
  const found = search(words).reverse().map(([page, , anchor]) => page + anchor);
  const first = found[0] || 'nothing';
  if (!first.startsWith(expected)) {
    wrong++;
    console.log(`${words}: ${first} is found first, not ${expected} (place ${
      1 + found.findIndex((each) => each.startsWith(expected))})`);
  }
}
console.log(`${Object.keys(FIRST).length} searches, ${wrong} with another first result`);
process.exit(wrong ? 1 : 0);
