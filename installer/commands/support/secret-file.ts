/**
 * Secrets from files and standard input: arguments are visible to all users of a machine.
 */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Failure } from '../../failure.ts';

/** Reads a file, or standard input for `-`. @throws Failure usage when it cannot be read or is empty */
export async function readSecretFile(path: string): Promise<string> {
  const name = path === '-' ? 'standard input' : path;
  let content: string;
  try {
    content = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : (error as Error).message;
    throw new Failure('usage', `${name} cannot be read: ${reason}`, 'Specify the path of a readable file');
  }
  if (content.trim() === '') throw new Failure('usage', `${name} is empty`, 'Check that it contains the value');
  return content.trim();
}
