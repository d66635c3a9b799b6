/** A branch that the types prove to be reached by no value (`default: return kind satisfies never`) is not changed. */
const isProved = ({ node }) =>
  node.type === 'SwitchCase' &&
  node.test === null &&
  node.consequent[0]?.argument?.typeAnnotation?.type === 'TSNeverKeyword';

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'proved-by-types',
    value: {
      shouldIgnore: (path) => (isProved(path) ? 'The types prove that it is never reached.' : undefined),
    },
  },
];
