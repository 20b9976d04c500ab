// Secrets in files (`ADMIN_SECRET_FILE=/run/secrets/admin`): one or two a file, a line each, both valid. A process follows
// changes of its files, so that a secret is replaced without a restart. A file that has become wrong changes nothing: the
// former secrets stay valid, and the log names the file.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Secret } from './secrets.ts';

/** A secret of the environment and of a file has at least as many characters. */
export const minSecretLength = 16;
const maxFileBytes = 4096;
const defaultInterval = 1_000;

export type SecretLog = (level: 'info' | 'warn', message: string, fields: Record<string, unknown>) => void;

/** The name of the setting that gives a secret by file. */
export const fileSettingOf = (setting: string) => `${setting}_FILE`;

/** The description of that setting. */
export const fileDescription = (setting: string) =>
  `File with \`${setting}\` in its place: one secret, or two that are both valid, a line each ([Secrets](#secrets))`;

export class SecretFile {
  /** The setting whose value the file has. */
  readonly setting: string;
  readonly path: string;
  #values: readonly string[];
  /** Content that was read once, and is used if the file still has it at the next look. */
  #unconfirmed: string | undefined;
  #reason: string | undefined;

  /** @throws Error with what is wrong with the file */
  constructor(setting: string, path: string) {
    this.setting = setting;
    this.path = path;
    this.#values = secretsIn(readSecretFile(path));
  }

  get values(): readonly string[] {
    return this.#values;
  }

  /**
   * Reads the file again. A change is used once it was read twice, as a file may be read while it is written.
   * @param isComplete the change is used at once
   */
  readAgain(log: SecretLog, isComplete: boolean): void {
    const about = { setting: fileSettingOf(this.setting), file: this.path };
    try {
      const content = readSecretFile(this.path);
      const values = secretsIn(content);
      if (this.#reason !== undefined) log('info', 'the file of a secret is right again', about);
      this.#reason = undefined;
      const isConfirmed = isComplete || this.#unconfirmed === content;
      this.#unconfirmed = content;
      if (!isConfirmed || values.join('\n') === this.#values.join('\n')) return;
      this.#values = values;
      log('info', 'a secret was replaced', { ...about, valid: values.length });
    } catch (error) {
      this.#unconfirmed = undefined;
      const { message } = error as Error;
      if (this.#reason === message) return;
      this.#reason = message;
      log('warn', 'the file of a secret is wrong: the former secrets stay valid', { ...about, reason: message });
    }
  }
}

export type SecretSettings = {
  /** The environment with the first secret of each file as the value of its setting. */
  environment: NodeJS.ProcessEnv;
  files: readonly SecretFile[];
  /** What is wrong, each with the name of its setting. */
  faults: readonly string[];
  /** The secret of a setting: its file if there is one, else the value. */
  secretOf<Value extends string | undefined>(setting: string, value: Value): Secret | Value;
};

/** Reads the files that the environment names for these settings. */
export function readSecretFiles(settings: readonly string[], environment: NodeJS.ProcessEnv): SecretSettings {
  const filled = { ...environment };
  const files: SecretFile[] = [];
  const faults: string[] = [];
  for (const setting of settings) {
    const path = environment[fileSettingOf(setting)];
    if (!path) continue;
    // So that a missing value is not reported as well.
    const placeholder = '-'.repeat(minSecretLength);
    try {
      if (environment[setting]) throw new Error(`is set, and so is ${setting}: remove one of them`);
      const file = new SecretFile(setting, path);
      files.push(file);
      filled[setting] = file.values[0];
    } catch (error) {
      filled[setting] = placeholder;
      faults.push(`${fileSettingOf(setting)} ${(error as Error).message}`);
    }
  }
  return {
    environment: filled,
    files,
    faults,
    secretOf: (setting, value) => files.find((file) => file.setting === setting) ?? value,
  };
}

/**
 * Follows changes of the files: within seconds, and at once at SIGHUP. Without files, SIGHUP has no effect unless the
 * process runs in a terminal, whose end it is.
 */
export function followSecretFiles(
  files: readonly SecretFile[],
  log: SecretLog,
  interval: number = defaultInterval,
): { stop(): void } {
  const readAll = (isComplete: boolean) => {
    for (const file of files) file.readAgain(log, isComplete);
  };
  const timer = files.length > 0 ? setInterval(readAll, interval, false).unref() : undefined;
  const onHangUp = () => readAll(true);
  if (files.length > 0 || !process.stdin.isTTY) process.on('SIGHUP', onHangUp);
  return {
    stop() {
      clearInterval(timer);
      process.off('SIGHUP', onHangUp);
    },
  };
}

/** @throws Error that says what is wrong, to be put after the name of a setting */
function readSecretFile(path: string): string {
  let file: number;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is none' : code === 'EACCES' ? 'this user may not read it' : code;
    throw new Error(`is a file that cannot be read (${reason}): ${path}`);
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw new Error(`is not a file: ${path}`);
    if ((facts.mode & 0o007) !== 0) {
      throw new Error(`is a file that is open to every user of this machine (chmod o= ${path})`);
    }
    if (facts.size > maxFileBytes) throw new Error(`is a file of more than ${maxFileBytes} bytes: ${path}`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** @throws Error that says what is wrong, and contains no secret */
function secretsIn(content: string): readonly string[] {
  const lines = content.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) throw new Error('is an empty file');
  if (lines.length > 2) throw new Error(`is a file with ${lines.length} lines, and may have one or two`);
  lines.forEach((line, at) => {
    if (line.length < minSecretLength) {
      throw new Error(`has fewer than ${minSecretLength} characters in line ${at + 1}`);
    }
    if (line !== line.trim() || hasControlCharacter(line)) {
      throw new Error(`has spaces around the secret, or characters that are not printable, in line ${at + 1}`);
    }
  });
  return [...new Set(lines)];
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f' || character === '\ufffd');
}
