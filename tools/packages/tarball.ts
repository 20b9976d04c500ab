// Reproducible npm tarballs: the same content gives the same bytes, wherever and whenever it is packed.

import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { create } from 'tar';

/** A file of a package: its content, or the path to copy it from. Executables have mode 755, all others 644. */
export type PackageFile = { content: string | Uint8Array } | { from: string; executable?: boolean };

/** The files of a package by their path in it. */
export type PackageFiles = Map<string, PackageFile>;

/** The modification time of all files, which npm uses too: tarballs must not contain the time of the build. */
const fixedTime = new Date('1985-10-26T08:15:00.000Z');

/** Packs files under `package/`, as npm does, and writes the tarball atomically. Returns its integrity. */
export async function packTarball(files: PackageFiles, tarball: string): Promise<string> {
  await mkdir(dirname(tarball), { recursive: true });
  const stage = await mkdtemp(join(dirname(tarball), '.stage-'));
  try {
    const paths = [...files.keys()].sort();
    for (const path of paths) {
      const file = files.get(path) as PackageFile;
      const target = join(stage, path);
      await mkdir(dirname(target), { recursive: true });
      if ('content' in file) await writeFile(target, file.content);
      else await copyFile(file.from, target);
      await chmod(target, 'executable' in file && file.executable ? 0o755 : 0o644);
    }
    const draft = join(stage, `.${basename(tarball)}`);
    // Files are sorted and folders omitted, so that nothing depends on the order of the file system.
    await create(
      {
        cwd: stage,
        file: draft,
        prefix: 'package',
        portable: true,
        noDirRecurse: true,
        mtime: fixedTime,
        gzip: true,
      },
      paths,
    );
    const integrity = await integrityOf(draft);
    await rename(draft, tarball);
    return integrity;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** The integrity of a tarball in npm's format: `sha512-` and the digest in base64. */
export async function integrityOf(tarball: string): Promise<string> {
  return `sha512-${createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64')}`;
}
