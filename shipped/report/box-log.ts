/**
 * What the installed box has logged of a request.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { boxFolder, type StackSettings } from '../../tools/shipped-stack/settings.ts';

/** The lines of the log with a request's id, without what the name of the request says already. */
export function logOf(settings: Pick<StackSettings, 'folder'>, requestId: string | undefined): string[] {
  if (requestId === undefined) return [];
  const folder = join(boxFolder(settings), 'logs');
  // The log is rotated.
  const files = readdirSync(folder).filter((file) => file.startsWith('box.log') && !file.endsWith('.gz'));
  return files
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line.includes(requestId))
    .map(shortened);
}

function shortened(line: string): string {
  try {
    const { level: _, time: __, pid: ___, hostname: ____, requestId: _____, ...rest } = JSON.parse(line);
    return JSON.stringify(rest);
  } catch {
    return line;
  }
}
