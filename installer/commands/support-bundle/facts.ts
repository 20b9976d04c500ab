/**
 * What a support bundle says of the machine, the folder and the logs of a box.
 */
import { open, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { arch, cpus, freemem, loadavg, platform, release, totalmem, uptime } from 'node:os';
import { join, relative } from 'node:path';
import type { BoxFolder } from '../../box/folder.ts';
import type { RunningBox } from '../../box/running.ts';

/** The machine and its limits. */
export async function machineFacts(folder: BoxFolder): Promise<object> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(folder.root);
  const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header;
  return {
    platform: `${platform()}-${arch()}`,
    kernel: release(),
    glibc: glibcVersionRuntime,
    system: await readText('/etc/os-release'),
    processors: cpus().map(({ model }) => model),
    loadAverage: loadavg(),
    memory: { total: totalmem(), free: freemem(), constrained: process.constrainedMemory() },
    upSeconds: Math.round(uptime()),
    clock: new Date().toISOString(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    disk: { bytes: blocks * bsize, freeBytes: bavail * bsize, files, freeFiles: ffree },
    user: process.getuid?.(),
    limits: await readText('/proc/self/limits'),
    pressure: await readText('/proc/pressure/memory'),
  };
}

/** What the kernel knows of the process of the box. */
export async function processFacts(running: RunningBox | undefined): Promise<object | undefined> {
  if (!running) return undefined;
  const { pid, release, supervised, orphaned } = running;
  const files = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  return {
    pid,
    release,
    supervised,
    orphaned,
    openFiles: files?.length,
    status: await readText(`/proc/${pid}/status`),
  };
}

/** Bytes, mode and owner of what is in the folder, three levels deep; deeper content counts for its folder. */
export async function listFolder(folder: BoxFolder): Promise<string> {
  const lines: string[] = [];
  const measure = async (path: string, depth: number): Promise<number> => {
    const status = await stat(path).catch(() => undefined);
    if (!status) return 0;
    let bytes = status.size;
    const names = status.isDirectory() ? await readdir(path).catch(() => []) : [];
    const at = lines.length;
    for (const name of names.sort()) bytes += await measure(join(path, name), depth + 1);
    if (depth <= 3) {
      const mode = (status.mode & 0o7777).toString(8).padStart(4, '0');
      const name = relative(folder.root, path) || '.';
      lines.splice(at, 0, `${String(bytes).padStart(14)}  ${mode}  ${status.uid}:${status.gid}  ${name}`);
    }
    return bytes;
  };
  await measure(folder.root, 0);
  return `${lines.join('\n')}\n`;
}

/** Names of the migrations of each package of a release. */
export async function listMigrations(packages: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const name of (await readdir(packages)).sort()) {
    const files = await readdir(join(packages, name, 'migrations')).catch(() => []);
    if (files.length > 0) found[name] = files.sort();
  }
  return found;
}

/** Longer lines are cut: they are of no use, and slow to redact. */
const longestLine = 8000;

/** The end of a log; undefined if there is none. @param bytes how much at most */
export async function tailOf(path: string, bytes: number): Promise<string | undefined> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length);
    const text = buffer.toString('utf8', 0, bytesRead);
    // The first line of a part is incomplete: a secret in it could not be recognised.
    const lines = (size > bytes ? text.slice(text.indexOf('\n') + 1) : text).split('\n');
    return lines.map((line) => (line.length > longestLine ? '[a line that is too long]' : line)).join('\n');
  } finally {
    await handle.close();
  }
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
