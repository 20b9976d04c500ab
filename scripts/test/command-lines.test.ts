/**
 * Each command of package.json says with `--help` what it does, and answers an option and an argument that there is not
 * with one line.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exactly, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { readCommandLine, UsageError } from '../../tools/command-line.ts';
import { runScript } from '../../tools/test/run-script.ts';

const root = join(sourceRoot, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** The programs of these are those of other commands. */
const again = ['smoke', 'journey', 'test:faults'];
/** Services take settings of the environment and no options; the others are programs that are not ours. */
const others = ['control-plane', 'hosting', 'registry', 'boundaries', 'format', 'typecheck'];

t.test('every command', { jobs: 3 }, async (t) => {
  t.strictSame(
    Object.keys(scripts)
      .filter((name) => others.includes(name))
      .sort(),
    others.toSorted(),
  );
  for (const [name, script] of Object.entries(scripts)) {
    if (others.includes(name) || again.includes(name)) continue;
    const [file = '', ...given] = script.replace(/^.*--conditions=workspace-source /, '').split(' ');
    const run = (...more: string[]) =>
      runScript(join(root, file), [...given, ...more], { HOME: process.env.HOME }, root);
    t.test(name, { buffered: true }, async (t) => {
      const help = await run('--help');
      t.match(help, { status: 0, stderr: '' });
      t.match(help.stdout, /^Usage: npm [\s\S]*--help[\s\S]*\nExit codes: /);
      for (const wrong of ['--no-such-option', 'no-such-argument']) {
        t.match(await run(wrong), { status: 2, stdout: /^$/, stderr: /^[^\n]+\n$/ }, wrong);
      }
    });
  }
});

t.test('a command line is read', async (t) => {
  const line = { name: 'npm run words', help: '', options: { all: { type: 'boolean' } }, most: 1 } as const;
  t.match(readCommandLine(line, ['--all', 'here']), { values: { all: true }, positionals: exactly(['here']) });
  t.equal(readCommandLine(line, ['here', 'there', '-h']), null, 'help is answered whatever else is passed');
  t.throws(() => readCommandLine(line, ['here', 'there']), new UsageError("Unknown argument 'there'"));
  t.throws(() => readCommandLine(line, ['--none']), new UsageError("Unknown option '--none'"));
});
