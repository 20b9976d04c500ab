/**
 * Why a box did not start, from the last lines of its output: a cause that the operator can mend is named with its own
 * exit code and advice, in place of the message of PostgreSQL or of the system's loader.
 */
import { statfs } from 'node:fs/promises';
import { Failure, tooFewFiles } from '../failure.ts';
import { vendor } from '../vendor.ts';
import type { BoxFolder } from './folder.ts';

/** Less than this is no space: PostgreSQL writes its log in segments of 16 MB. */
const fullBytes = 16_000_000;

/**
 * What Node, PostgreSQL and the box print when a disk is full. PostgreSQL gives no system error if a part of the block was
 * written (mdextend in md.c).
 */
const fullDiskMessages =
  /ENOSPC|No space left on device|EDQUOT|Disk quota exceeded|Check free disk space|wrote only \d+ of \d+ bytes|The disk that holds \S.* is full/;

/** Packages of Debian and Ubuntu with the libraries that a box needs from the machine. */
const packagesOf: Record<string, string> = {
  'libstdc++.so': 'libstdc++6',
  'libgcc_s.so': 'libgcc-s1',
  'libatomic.so': 'libatomic1',
};

/**
 * Finds the cause of a failed start.
 * @param message what is known without the output
 * @param text the output, or its end
 * @param facts further members of the failure
 */
export async function explainStart(
  folder: BoxFolder,
  message: string,
  text: string,
  facts: Record<string, unknown> = {},
): Promise<Failure> {
  const cause = causeIn(text, facts) ?? (await fullDisk(folder, facts));
  if (cause) return cause;
  const lastLine = lastLineOf(text) || 'the log is empty';
  return new Failure('box_not_healthy', `${message}; last log line: ${lastLine}`, `See ${folder.log}`, facts);
}

/** The last line; of an exception that Node.js reports, which ends with a stack and the version of Node.js, its message. */
function lastLineOf(text: string): string {
  const lines = text.trimEnd().split('\n');
  const last = lines.at(-1)?.trim() ?? '';
  return /^Node\.js v\d/.test(last) ? (lines.findLast((line) => /^\w*Error\b/.test(line)) ?? last) : last;
}

/** Returns the failure that output tells of, if it is one of the known ones. */
export function causeIn(output: string, facts: Record<string, unknown> = {}): Failure | undefined {
  // Earlier releases print "is taken".
  const port = /.*(EADDRINUSE|port \d+ is (already in use|taken)).*/.exec(output);
  if (port) {
    return new Failure(
      'port_taken',
      port[0],
      'Stop the program that listens on it, or choose another port with install --port',
      facts,
    );
  }
  const full = fullDiskMessages.exec(output);
  if (full) {
    const message = `the disk is full: the box could not write its data (${full[0]})`;
    return new Failure('disk_full', message, 'Free some space, then run the command again', facts);
  }
  // Of Node and of PostgreSQL.
  if (/EMFILE|ENFILE|insufficient file descriptors|[Tt]oo many open files/.test(output)) {
    return tooFewFiles('box_not_healthy', facts);
  }
  // ld.so(8) prints both.
  const library = /error while loading shared libraries: ([\w+.-]+?\.so)[\w.]*/.exec(output);
  if (library) {
    const [, name = ''] = library;
    const packageName = packagesOf[name];
    return new Failure(
      'box_not_healthy',
      `this machine lacks the library ${name}, which the box needs`,
      packageName
        ? `Install it: apt-get install ${packageName} on Debian and Ubuntu`
        : 'Install the package that has it',
      facts,
    );
  }
  const old = /version [`'"]((GLIBC|GLIBCXX|CXXABI)_[\d.]+)['"]? not found/.exec(output);
  if (old) {
    const [, needed, library] = old;
    const name = library === 'GLIBC' ? 'C library (glibc)' : 'C++ library (libstdc++)';
    return new Failure(
      'box_not_healthy',
      `the ${name} of this machine is too old: the box needs ${needed}`,
      'Use a newer system: Debian 10, Ubuntu 20.04, or another one with glibc 2.28',
      facts,
    );
  }
  // initdb(1); containers often run as a number that /etc/passwd does not have.
  const nameless = /could not look up effective user ID (\d+)/.exec(output);
  if (nameless) {
    return new Failure(
      'box_not_healthy',
      `the user ${nameless[1]} has no name on this machine, which the embedded database needs`,
      `Give it one: useradd --uid ${nameless[1]} ${vendor}, or use a database of your own with install --database-url-file`,
      facts,
    );
  }
  return undefined;
}

/** A full disk may leave no output behind. */
async function fullDisk(folder: BoxFolder, facts: Record<string, unknown>): Promise<Failure | undefined> {
  const { bavail, bsize } = await statfs(folder.root);
  if (bavail * bsize >= fullBytes) return undefined;
  const message = `the box did not start, and the disk of ${folder.root} is full`;
  return new Failure('disk_full', message, 'Free some space, then run the command again', facts);
}
