/**
 * The commands and their documentation: what the program prints is what docs/commands.md has.
 */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { commands } from '../command-line/commands.ts';
import { codesOf, optionsOf } from '../commands/support/definition.ts';
import { exitCodes } from '../exit-codes.ts';
import { vendor } from '../vendor.ts';
import { makeBox } from './support/box.ts';

const document = await readFile(new URL('../../docs/commands.md', import.meta.url), 'utf8');

t.test('exit codes', async (t) => {
  const all = Object.values(exitCodes).map(({ status }) => status);
  t.equal(new Set(all).size, all.length, 'each has its own status');
  for (const [code, { status, meaning }] of Object.entries(exitCodes)) {
    t.match(document, `| ${status} | \`${code}\` | ${meaning} |`, `the document has ${code}`);
  }
  const used = new Set(commands.flatMap(codesOf));
  t.strictSame(
    Object.keys(exitCodes).filter((code) => !used.has(code as keyof typeof exitCodes)),
    [],
    'each is one of a command',
  );
});

t.test('the help of each command is that of the document', async (t) => {
  const box = await makeBox(t, undefined);
  const environment = { CARTON_BOX_DIR: undefined, COLUMNS: undefined };
  for (const definition of commands) {
    const { name } = definition;
    const { exitCode, stdout, stderr } = await box.run([...name.split(' '), '--help'], environment);
    t.strictSame([exitCode, stderr], [0, '']);
    const [, documented] = document.split(`### ${vendor} ${name}\n\n\`\`\`\n`);
    t.equal(documented?.split('\n```')[0], stdout.trim(), name);
    for (const { flags, hidden } of optionsOf(definition)) t.equal(stdout.includes(flags), hidden !== true, flags);
    for (const code of codesOf(definition)) t.match(stdout, `${exitCodes[code].status}  ${exitCodes[code].meaning}`);
  }
});

t.test('an unknown command and an unknown option', async (t) => {
  const box = await makeBox(t, undefined);
  t.match(await box.run(['statsu', '--json']), {
    exitCode: 2,
    end: { event: 'error', error: { code: 'usage', message: /unknown command 'statsu'.*status/ } },
  });
  t.match(await box.run(['status', '--jsno']), { exitCode: 2, stderr: /unknown option '--jsno'/ });
  t.match(await box.run([]), { exitCode: 2, stderr: /no command specified/ });
});
