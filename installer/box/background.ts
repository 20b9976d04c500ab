/**
 * The supervisor of a box in the background: a process of its own without a terminal. It runs this command with the word
 * `supervise`, which is not in the table of commands, since it is for this file alone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { commandWords, superviseWord } from './command-words.ts';
import { inheritedVariables, type Launch } from './environment.ts';
import { type BoxFolder, boxFolder } from './folder.ts';
import { rotate } from './log-rotation.ts';

/** Variables for Node.js, besides those that a box inherits. */
const nodeVariables = ['NODE_COMPILE_CACHE', 'NODE_V8_COVERAGE'];
/** It mostly waits: a small heap is enough, and young garbage is collected early. */
const heap = '--max-semi-space-size=1 --max-old-space-size=64';

/** Starts the supervisor, which starts the box. @returns its process, and where its output begins in the log */
export async function startSupervisor(
  folder: BoxFolder,
  launch: Launch,
): Promise<{ child: ChildProcess; logStart: number }> {
  await Promise.all([folder.logs, folder.run].map((path) => mkdir(path, { recursive: true })));
  const log = await openLog(folder);
  const logStart = (await log.stat()).size;
  const [program = '', ...words] = [...commandWords(), superviseWord, '--dir', folder.root];
  const environment: NodeJS.ProcessEnv = { NODE_OPTIONS: heap };
  for (const name of [...inheritedVariables, ...nodeVariables]) {
    if (process.env[name]) environment[name] = process.env[name];
  }
  const child = spawn(program, words, {
    cwd: folder.root,
    env: environment,
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
  });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  await log.close();
  child.stdin?.on('error', () => undefined); // it has exited, which is noticed
  // Secrets must not be in its command line or environment.
  child.stdin?.end(JSON.stringify(launch));
  child.unref();
  return { child, logStart };
}

/** Reads what `startSupervisor` sends. */
export async function readSupervisorInput(): Promise<{ folder: BoxFolder; launch: Launch }> {
  const [, option, directory] = process.argv.slice(2);
  if (option !== '--dir' || !directory) throw new Error('this word of the command is not for people');
  return { folder: boxFolder(directory), launch: JSON.parse(await text(process.stdin)) };
}

/** Opens the log for appending. A long log is rotated first. */
function openLog(folder: BoxFolder) {
  rotate(folder.log);
  return open(folder.log, 'a', 0o640);
}
