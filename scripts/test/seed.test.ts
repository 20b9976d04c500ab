/**
 * The command `npm run seed`: its output and exit codes.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';

const program = fileURLToPath(new URL('../commands/seed.ts', import.meta.url));
const seed = (...parameters: string[]) =>
  promisify(execFile)(process.execPath, ['--conditions=workspace-source', program, ...parameters], {
    env: { ...process.env, CARTON_HOME: '/nowhere', DATABASE_URL: '' },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error) => error as { code: number; stdout: string; stderr: string },
  );

const box = await createTestBox(t);
const small = ['--products', '3', '--orders', '5', '--members', '2'];
const there = ['--tenant', box.slug, '--database', box.databaseUrl];

t.test('it fills a store once, with a line for each step', async (t) => {
  const filled = await seed(...small, ...there);
  t.match(filled, {
    code: 0,
    stdout:
      /^\d+%, members, [\s\S]*%, products, [\d,]+ rows\/s.*\n\d+%, orders, .*\n100%, analyzing, .*\nadded 3 products and 5 orders/,
  });
  t.notMatch(filled.stdout, '\u001b', 'without control sequences: this is no terminal');
  t.match(await seed(...small, ...there), { code: 1, stderr: /has orders: --add adds to them/ });
  t.match(await seed(...small, ...there, '--add'), { code: 0, stdout: /added 3 products and 5 orders/ });
});

t.test('help, wrong usage, no box', async (t) => {
  t.match(await seed('--help'), { code: 0, stdout: /--products <number>[\s\S]*Exit codes/ });
  t.match(await seed('--orders', 'many'), { code: 2, stderr: /--orders is a whole number up to \d+, not many/ });
  t.match(await seed('--amounts', '3'), { code: 2, stderr: /--amounts/ });
  t.match(await seed(), { code: 1, stderr: /there is no box in \/nowhere: run npm start first/ });
});
