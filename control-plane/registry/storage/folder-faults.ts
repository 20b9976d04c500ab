// What is wrong when the system refuses to read or write a file of the storage, and what to do about it.

/** The values of a metric's label. */
export type FolderFault = 'denied' | 'full' | 'read_only' | 'other';

/** Whether an error is one of the system, such as a full disk. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof (error as NodeJS.ErrnoException | null)?.syscall === 'string';

/** Returns the kind of a fault, and a sentence that names what to look at. */
export function explainFolder(
  { code, message }: NodeJS.ErrnoException,
  folder: string,
): { fault: FolderFault; advice: string } {
  const place = `REGISTRY_STORAGE (${folder})`;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return {
      fault: 'full',
      advice: `there is no space for ${place} (${code}): free some, or move it to a larger disk`,
    };
  }
  if (code === 'EROFS') {
    return { fault: 'read_only', advice: `the file system of ${place} is read-only: look at its disk and its mount` };
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return { fault: 'denied', advice: `the user of the registry has no right to ${place}: ${message}` };
  }
  return { fault: 'other', advice: `${place} cannot be used: ${message}` };
}
