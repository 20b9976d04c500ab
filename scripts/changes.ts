/**
 * `npm run changes -- <old> <new>`: what an API's new document breaks for clients made for the old one, and what it
 * only adds.
 */
import { parseArgs } from 'node:util';
import { compareDocuments } from './changes/compare.ts';
import { readDocument } from './changes/document.ts';
import type { Change } from './changes/findings.ts';

const help = `Usage: npm run changes -- <old> <new> [--json]

Compares two OpenAPI 3 documents, each a file or an address; the address of a
box alone stands for its /docs/json. Names what breaks a client that was made
for the old one, and what is only added or loosened.

  --json   one JSON object: { "breaking": [...], "compatible": [...] }
  --help   this text

Exit codes: 0 nothing breaks, 1 something does, 2 wrong use or nothing to read.
`;

/** Most operations that are named in a line. */
const named = 3;

function lineOf({ side, place, what, operations }: Change): string {
  const more = operations.length - named;
  // A change of an operation itself stands at its name already.
  const reaches = operations.some((operation) => place.startsWith(operation))
    ? ''
    : ` (in ${operations.slice(0, named).join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
  return `  ${side ? `${side.padEnd(8)} ` : ''}${place}: ${what}${reaches}`;
}

function print(breaking: Change[], compatible: Change[]): void {
  const section = (title: string, changes: Change[]) => (changes.length > 0 ? [title, ...changes.map(lineOf), ''] : []);
  const lines = [
    ...section('Breaking', breaking),
    ...section('Added or loosened', compatible),
    `${breaking.length} breaking, ${compatible.length} added or loosened`,
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
  if (!old || !current || rest.length > 0) throw new Error('give two documents: the old one and the new one');
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
