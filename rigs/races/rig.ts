/**
 * Rig: the tests of races (`*races.test.ts`) with many rounds. Each starts requests at the same time on a real PostgreSQL
 * server and expects one winner and exact sums.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Findings, Rig, Stage } from '../support/rig.ts';

const defaultRounds = 200;
const files = globSync('vendor/*/test/*races.test.ts').toSorted();
const packageOf = (file: string) => file.split('/')[1] as string;

export const rig: Rig = {
  about:
    'the tests of races, with many rounds: the last unit, the last use of a promotion, double refunds, price changes',
  options: {
    rounds: { about: 'rounds of each race', defaultValue: String(defaultRounds), short: '10' },
    package: {
      about: 'whose races',
      defaultValue: 'all',
      oneOf: ['all', ...new Set(files.map(packageOf))],
    },
  },
  timeLimit: (stage) => 120 + 30 * stage.number('rounds'),
  run,
};

async function run(stage: Stage): Promise<Findings> {
  const rounds = stage.number('rounds');
  const chosen = stage.word('package');
  const found = files.filter((file) => chosen === 'all' || packageOf(file) === chosen);
  stage.say(`${rounds} rounds in ${found.length} files`);
  const broken: string[] = [];
  let passed = 0;
  const child = spawn('npm', ['test', '--silent', '--', ...found], {
    env: { ...process.env, RACE_ROUNDS: String(rounds) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stage.atEnd('the tests', () => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    stage.say(line);
    if (/^\s*not ok /.test(line)) broken.push(line.trim());
    passed = Number(/^(\d+) passed/.exec(line)?.[1] ?? passed);
  }
  const code =
    child.exitCode ?? (await new Promise<number>((resolve) => child.once('exit', (exit) => resolve(exit ?? 1))));
  if (code !== 0 && broken.length === 0) broken.push(`the tests ended with exit code ${code}`);
  return { broken, counts: { rounds, files: found.length, passed } };
}
