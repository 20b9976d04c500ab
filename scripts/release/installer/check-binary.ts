/**
 * Tests a binary as partners get it: alone in an empty folder, with an empty environment.
 */
import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runAsNode } from '../../../installer/vendor.ts';

const runs = 20;

/** Median durations of whole processes, in milliseconds. */
export interface Times {
  version: number;
  help: number;
  node: number;
}

/**
 * @param expectedVersion what `--version` must print
 * @throws Error if it prints anything else or cannot run
 */
export async function checkBinary(binary: string, node: string, expectedVersion: string): Promise<Times> {
  const folder = await mkdtemp(join(tmpdir(), 'binary-check-'));
  try {
    const alone = join(folder, 'alone');
    await copyFile(binary, alone);
    const bare = { cwd: folder, env: {} };
    const { stdout } = await promisify(execFile)(alone, ['--version'], bare);
    if (stdout !== `${expectedVersion}\n`) throw new Error(`--version printed ${JSON.stringify(stdout)}`);
    await promisify(execFile)(alone, ['install', '--help'], bare);
    await checkRunsPrograms(alone, folder);
    // Alternately, so that other load on the machine affects all of them.
    const times: Times[] = [];
    for (let run = 0; run < runs; run += 1) {
      times.push({
        node: time(node, ['-e', '0'], folder),
        version: time(alone, ['--version'], folder),
        help: time(alone, ['install', '--help'], folder),
      });
    }
    return { node: median(times, 'node'), version: median(times, 'version'), help: median(times, 'help') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Checks that the binary runs a program on disk as Node does, and what that program forks. A box is such a program. */
async function checkRunsPrograms(binary: string, folder: string): Promise<void> {
  const program = join(folder, 'program.mjs');
  await writeFile(
    program,
    `import { fork } from 'node:child_process';
    const { default: name } = await import('./name.mjs');
    console.log(name, process.argv.slice(1).join(' '));
    if (process.argv[2] !== 'forked') fork(process.argv[1], ['forked']);`,
  );
  await writeFile(join(folder, 'name.mjs'), "export default await Promise.resolve('ran');");
  const { stdout } = await promisify(execFile)(binary, [program, 'first'], { cwd: folder, env: { [runAsNode]: '1' } });
  const expected = `ran ${program} first\nran ${program} forked\n`;
  if (stdout !== expected) throw new Error(`a program printed ${JSON.stringify(stdout)}`);
}

function time(program: string, parameters: string[], cwd: string): number {
  const started = performance.now();
  const { status } = spawnSync(program, parameters, { cwd, env: {} });
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')} exited with ${status}`);
  return performance.now() - started;
}

function median(times: Times[], key: keyof Times): number {
  const sorted = times.map((each) => each[key]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}
