/**
 * The table of the extension points that packages and partners can contribute to, of docs/extension-points.md.
 */

/** A point that is declared in a source. */
interface Point {
  name: string;
  /** The package or engine that has it: `cart`, `runtime`. */
  owner: string;
  /** The first sentence of its comment, or of that of the type of what is contributed. */
  about: string;
}

const declaration = /^export const (\w+) =\s*extensionPoint<(\w*)/gm;
const described = /\/\*\*((?:(?!\*\/).)*?)\*\/\s*export (?:const|interface|type) (\w+)/gs;

/** `vendor/cart/pricing/totals.ts` is of `cart`. */
const ownerOf = (file: string) => /^vendor\/([\w-]+)\//.exec(file)?.[1] ?? 'runtime';
const isSource = (file: string) => /^(?:vendor\/[\w-]+|runtime)\/.*\.ts$/.test(file) && !/\/test(?:ing)?\//.test(file);

/** The first sentence of a comment, on one line. */
function firstSentence(comment: string): string {
  const text = comment
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return (/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text).replace(/[.:]$/, '');
}

/**
 * The table of the points that an `index.ts` exports.
 * @param files paths from the root
 * @param isExported whether the package exports a name, by the package's folder name
 * @param faults receives points that no comment describes
 */
export function extensionPointsTable(
  files: readonly string[],
  read: (file: string) => string,
  isExported: (owner: string, name: string) => boolean,
  faults: string[],
): string {
  const sources = files.filter(isSource).map((file) => ({ file, text: read(file) }));
  const code = sources.map(({ file, text }) => ({ file, text: text.replaceAll(/^\s*(?:\*|\/[/*]).*$/gm, '') }));
  const points: Point[] = [];
  for (const { file, text } of sources) {
    const owner = ownerOf(file);
    const comments = new Map([...text.matchAll(described)].map(([, comment = '', name = '']) => [name, comment]));
    for (const [, name = '', type = ''] of text.matchAll(declaration)) {
      if (!isExported(owner, name)) continue;
      const comment = comments.get(name) ?? comments.get(type);
      if (comment === undefined) faults.push(`${file}: no comment says what is contributed to ${name}`);
      else points.push({ name, owner, about: firstSentence(comment) });
    }
  }
  points.sort((a, b) => `${a.owner} ${a.name}`.localeCompare(`${b.owner} ${b.name}`, 'en'));
  const rows = points.map(({ name, owner, about }) => {
    const contributors = new Set(
      code.filter(({ text }) => new RegExp(`\\b${name}\\.with\\(`).test(text)).map(({ file }) => ownerOf(file)),
    );
    const readme = owner === 'runtime' ? '`@carton/runtime`' : `[${owner}](../vendor/${owner}/README.md)`;
    return `| \`${name}\` | ${readme} | ${about} | ${[...contributors].sort().join(', ')} |`;
  });
  return ['| Point | Of | What is contributed | By |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
