/**
 * Where the time of a run goes: in steps and subjects, which are children of this process, and in the installed box,
 * which is none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { processesWith } from '@carton/runtime/testing';
import { cpuTime, cpuTimeOfChildren, ownCpuTime } from '../../tools/cpu-time.ts';
import type { FileFigures } from '../../tools/figures.ts';

/** Milliseconds between two looks at the processes of the box, which may end at any time. */
const interval = 5000;

export class SpentTime {
  readonly files: FileFigures[] = [];
  readonly #folder: string;
  readonly #ofBox = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  #ofChildren = 0;

  /** @param folder that of the box, which its processes name */
  constructor(folder: string) {
    this.#folder = folder;
    this.#timer = setInterval(() => this.#look(), interval).unref();
  }

  /** Starts to measure a child process. Call the result when it exits. */
  start(file: string): () => void {
    const began = performance.now();
    return () => {
      // The kernel adds the time of a child when it exits.
      const now = cpuTimeOfChildren();
      this.files.push({ file, cpuSeconds: now - this.#ofChildren, wallSeconds: (performance.now() - began) / 1000 });
      this.#ofChildren = now;
    };
  }

  /** Looks at the box for the last time, before it is stopped. */
  end(): void {
    clearInterval(this.#timer);
    this.#look();
  }

  get cpuSeconds(): number {
    return cpuTime() + [...this.#ofBox.values()].reduce((sum, time) => sum + time, 0);
  }

  #look(): void {
    const parents = parentsOfAll();
    const found = new Set(processesWith(this.#folder).map(({ pid }) => pid));
    for (const pid of [process.pid, process.ppid]) found.delete(pid);
    // The processes of PostgreSQL do not name the folder. A set also iterates over what is added meanwhile.
    for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.add(child);
    for (const pid of found) this.#ofBox.set(pid, Math.max(ownCpuTime(pid), this.#ofBox.get(pid) ?? 0));
  }
}

/** The parent of each process. */
function parentsOfAll(): [pid: number, parent: number][] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)]);
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
