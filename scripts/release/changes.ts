/**
 * `npm run changes -- <old> <new>`: lists what a new OpenAPI document breaks for clients of the old one, and what it adds.
 */
import { parseArgs } from 'node:util';
import { compareDocuments } from './changes/compare.ts';
import { readDocument } from './changes/document.ts';
import type { Change } from './changes/findings.ts';

const help = `Usage: npm run changes -- <old> <new> [--json]

Compares two OpenAPI 3 documents, each a file or a URL; the base URL of a box
means its /docs/json. Lists what breaks clients of the old document, and what
is only added or relaxed.

  --json   one JSON object: { "breaking": [...], "compatible": [...] }
  --help   this text

Exit codes: 0 nothing breaks, 1 something breaks, 2 wrong usage or unreadable document.
`;

/** Most operations named in a line. */
const maxNamed = 3;

function lineOf({ side, place, what, operations }: Change): string {
  const more = operations.length - maxNamed;
  // A change of an operation itself already names it.
  const affected = operations.some((operation) => place.startsWith(operation))
    ? ''
    : ` (in ${operations.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
  return `  ${side ? `${side.padEnd(8)} ` : ''}${place}: ${what}${affected}`;
}

function print(breaking: Change[], compatible: Change[]): void {
  const section = (title: string, changes: Change[]) => (changes.length > 0 ? [title, ...changes.map(lineOf), ''] : []);
  const lines = [
    ...section('Breaking', breaking),
    ...section('Added or relaxed', compatible),
    `${breaking.length} breaking, ${compatible.length} added or relaxed`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const [old, current, ...rest] = positionals;
  if (!old || !current || rest.length > 0) throw new Error('pass two documents: the old one and the new one');
  const changes = compareDocuments(await readDocument(old), await readDocument(current));
  const breaking = changes.filter(({ level }) => level === 'breaking');
  const compatible = changes.filter(({ level }) => level === 'compatible');
  if (values.json) process.stdout.write(`${JSON.stringify({ breaking, compatible }, null, 2)}\n`);
  else print(breaking, compatible);
  return breaking.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${help}`);
  process.exitCode = 2;
}
