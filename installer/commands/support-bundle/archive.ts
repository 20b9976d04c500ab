/**
 * Writing a support bundle: a gzipped tar archive whose content is text in memory.
 */
import { open, rm } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { Failure } from '../../failure.ts';

export interface BundleFile {
  /** Path in the archive, at most 100 bytes. */
  path: string;
  text: string;
}

/**
 * Writes the archive with mode 0600; nothing is left of one that could not be written.
 * @returns its size in bytes
 * @throws Failure usage if the file exists already
 */
export async function writeArchive(path: string, folder: string, files: readonly BundleFile[]): Promise<number> {
  const content = gzipSync(Buffer.concat([...files.map((file) => pack(folder, file)), Buffer.alloc(1024)]));
  const handle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new Failure('usage', `${path} exists already`, 'Choose another file with --output');
    if (error.code === 'ENOENT') throw new Failure('usage', `the folder of ${path} does not exist`, 'Create it first');
    throw error;
  });
  try {
    await handle.chmod(0o600); // the umask must not change it
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return content.length;
}

function pack(folder: string, { path, text }: BundleFile): Buffer {
  const body = Buffer.from(text);
  const block = Buffer.alloc(512);
  new Header({
    path: `${folder}/${path}`,
    mode: 0o600,
    size: body.length,
    type: 'File',
    mtime: new Date(),
    uid: 0,
    gid: 0,
  }).encode(block);
  return Buffer.concat([block, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}
