/**
 * Tarballs that no packing tool writes. Here they even have the digest of the release, as after a build gone wrong: each is
 * rejected with exit status 7, and nothing of it stays, neither in the folder nor outside.
 */
import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { install, silent } from '../index.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox } from './support/box.ts';
import { type Entry, makePackage, makeRuntime, packEntry, packRaw } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const core = `${scope}/core`;
const licence = { tier: 'basic', packages: [`${scope}/runtime`, core] };
const vendor = await startVendor([makeRuntime(), makePackage({ name: core })], { [key]: licence });
t.teardown(() => vendor.close());

const manifest: Entry = { path: 'package/package.json', content: JSON.stringify({ name: core, version: '0.1.0' }) };
const file = (path: string, content = 'out'): Entry => ({ path: `package/${path}`, content });
const isOutside = /which is outside its folder/;
const isTwice = /a name that it contains twice/;
/** Each with the message that tells of it. */
const hostile: Record<string, [tarball: Entry[] | Buffer, message: RegExp, unpackedSize?: number]> = {
  'a path outside the folder': [[file('../../../../../../escaped.txt')], isOutside],
  'a path outside the package': [[{ path: '../escaped.txt', content: 'out' }], isOutside],
  'an absolute path': [[{ path: '/tmp/installer-escaped.txt', content: 'out' }], isOutside],
  'a path with backslashes': [[file('..\\..\\escaped.txt')], isOutside],
  'a symbolic link': [[{ path: 'package/link', type: 'SymbolicLink', linkpath: '/etc' }], /"package\/link" \(Symb/],
  'a symbolic link and a file through it': [
    [{ path: 'package/link', type: 'SymbolicLink', linkpath: '../../../../..' }, file('link/escaped.txt')],
    /"package\/link" \(SymbolicLink\)/,
  ],
  'a hard link in the package': [
    [{ path: 'package/link', type: 'Link', linkpath: 'package/package.json' }],
    /"package\/link" \(Link\)/,
  ],
  'a hard link out of it': [
    [{ path: 'package/link', type: 'Link', linkpath: '../../../../box.env' }, file('link', 'OPERATOR_SECRET=x')],
    /"package\/link" \(Link\)/,
  ],
  'a device': [[{ path: 'package/device', type: 'CharacterDevice' }], /"package\/device" \(CharacterDevice\)/],
  'a pipe': [[{ path: 'package/pipe', type: 'FIFO' }], /"package\/pipe" \(FIFO\)/],
  'a sparse file': [[{ path: 'package/sparse', type: 'SparseFile' }], /"package\/sparse" \(SparseFile\)/],
  'two files of one name': [[file('a.js'), file('a.js', 'other')], isTwice],
  'two names that differ in case': [[file('lib/a.js'), file('lib/A.js')], isTwice],
  'two folders that differ in case': [[file('lib/a.js'), file('LIB/b.js')], /whose folder is another entry/],
  'two names in different forms of Unicode': [[file('caf\u00e9.js'), file('cafe\u0301.js')], isTwice],
  'one name in different top folders': [[file('a.js'), { path: 'other/a.js', content: 'x' }], isTwice],
  'a file as a folder': [[file('lib'), file('lib/a.js')], /whose folder is another entry/],
  'a folder as a file': [[file('lib/a.js'), file('lib')], isTwice],
  'a path with a dot': [[file('./a.js')], /which is no usual path/],
  'a path with an empty name': [[file('lib//a.js')], /which is no usual path/],
  'a name with an escape sequence': [[file('\u001b[2Ja.js')], /"package\/\\u001b\[2Ja\.js", which is no usual path/],
  'a name that is too long': [[file('a'.repeat(300))], /which is too long/],
  'the name of the installer’s stamp': [[file('.installed.json', '{}')], /a name that the installer uses/],
  'more than the size of the package': [
    [file('large.bin', '0'.repeat(3_000_000))],
    /more than the 1\d{6} bytes of the package/,
    1000,
  ],
  'more entries than any package': [
    gzipSync(Buffer.concat(Array.from({ length: 20_002 }, (_, number) => packEntry({ path: `package/${number}` })))),
    /more than 20000 entries/,
  ],
  'gzip in gzip, which could unpack to any size': [
    gzipSync(packRaw([manifest])),
    /a compressed file in place of tar’s/,
  ],
  'zeros without end after the archive': [
    gzipSync(Buffer.concat([Buffer.alloc(1024), Buffer.alloc(50_000_000)]), { level: 1 }),
    /more than the 1\d{6} bytes of the package/,
    1000,
  ],
};

function published(tarball: Buffer, unpackedSize: number) {
  const integrity = `sha512-${hash('sha512', tarball, 'base64')}`;
  return { ...makePackage({ name: core }), tarball, integrity, unpackedSize };
}

for (const [name, [contents, message, unpackedSize = 0]] of Object.entries(hostile)) {
  t.test(name, async (t) => {
    const box = await makeBox(t, vendor);
    const tarball = Buffer.isBuffer(contents) ? contents : packRaw([manifest, ...contents]);
    vendor.packages.set(core, published(tarball, unpackedSize));
    const { dir, port } = box;
    const options = { dir, port, licenseKey: key, controlPlaneUrl: vendor.controlPlaneUrl, packageKeys: [] };
    const error = await install(options, silent).catch((error) => error);
    t.match(error, { code: 'integrity_failed', exitCode: 7, message, advice: /\w/ });
    t.match(error.message, 'core 0.1.0 was rejected: its tarball contains');
    t.same(await list(dirname(dir)), ['box'], 'nothing is beside the folder');
    const left = (await list(dir)).filter((name) => name !== 'releases');
    t.same(left, ['.installation-id']);
    for (const partial of await list(box.folder.releases)) {
      t.same(await list(join(box.folder.releases, partial, 'node_modules', scope)), ['runtime']);
    }
    t.same(
      (await list('/tmp')).filter((file) => file.includes('escaped')),
      [],
    );
  });
}

t.test('modes beyond reading and running are removed', async (t) => {
  const box = await makeBox(t, vendor);
  const entries = [
    { ...file('set-user-id.sh', '#!/bin/sh'), mode: 0o6755 },
    { ...file('for-all.txt', 'text'), mode: 0o1666 },
    { path: 'package/folder/', type: 'Directory', mode: 0o7777 } as const,
  ];
  vendor.packages.set(core, published(packRaw([manifest, ...entries]), 0));
  t.match(await box.install(['--no-start']), { exitCode: 0 });
  const installed = join(box.dir, 'current/node_modules', core);
  const modes = await Promise.all(
    ['set-user-id.sh', 'for-all.txt', 'folder'].map(async (name) => (await stat(join(installed, name))).mode & 0o7777),
  );
  t.strictSame(modes, [0o755, 0o644, 0o755]);
  t.equal(await readFile(join(installed, 'for-all.txt'), 'utf8'), 'text');
});
