/**
 * `npm run changes -- <old> <new>`: lists what a new OpenAPI document breaks for clients of the old one, and what it adds.
 */
import { runCommand, UsageError } from '../../tools/command-line.ts';
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

/** @throws UsageError for a document that cannot be read or has a reference to nothing: 1 would say that it breaks */
async function compare(old: string, current: string): Promise<Change[]> {
  try {
    return compareDocuments(await readDocument(old), await readDocument(current));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

const options = { json: { type: 'boolean', default: false } } as const;

await runCommand({ name: 'npm run changes', help, options, most: 2 }, async ({ values, positionals }) => {
  const [old, current] = positionals;
  if (!old || !current) throw new UsageError('pass two documents: the old one and the new one');
  const changes = await compare(old, current);
  const breaking = changes.filter(({ level }) => level === 'breaking');
  const compatible = changes.filter(({ level }) => level === 'compatible');
  if (values.json) process.stdout.write(`${JSON.stringify({ breaking, compatible }, null, 2)}\n`);
  else print(breaking, compatible);
  return breaking.length > 0 ? 1 : 0;
});
