/** Ignores branches that the types prove unreachable (`default: return kind satisfies never`). */
const isProved = ({ node }) =>
  node.type === 'SwitchCase' &&
  node.test === null &&
  node.consequent[0]?.argument?.typeAnnotation?.type === 'TSNeverKeyword';

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'proved-by-types',
    value: {
      shouldIgnore: (path) => (isProved(path) ? 'The types prove that it is unreachable.' : undefined),
    },
  },
];
