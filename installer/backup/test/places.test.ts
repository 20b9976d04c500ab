/**
 * Which files of a box a backup has.
 */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { boxFolder } from '../../box/folder.ts';
import { namesIn, placesOf } from '../places.ts';

/** The files of a box in the folder, as a backup names them. */
async function filesOf(root: string, secrets: Record<string, string> = {}): Promise<string[]> {
  const found: string[] = [];
  for (const place of placesOf(boxFolder(root), secrets)) {
    for await (const name of namesIn(place)) found.push(`${place.to}/${name}`);
  }
  return found.sort();
}

const link = (t: Test, target: string) => t.fixture('symlink', target);

t.test('all files of data, without the database and uploads in progress', async (t) => {
  const data = { postgresql: { a: '' }, uploads: { b: '' }, media: { c: { 'd.png': '' } }, 'e.txt': '' };
  t.strictSame(await filesOf(t.testdir({ data })), ['files/e.txt', 'files/media/c/d.png']);
  t.strictSame(await filesOf(t.testdir({})), []);
});

t.test('links to other disks are followed, and none forever', async (t) => {
  const root = t.testdir({
    disk: { shirts: { 'one.png': '', up: link(t, '..'), self: link(t, '.') }, 'two.png': '' },
    box: {
      data: {
        media: link(t, '../../disk'),
        'three.png': link(t, '../../disk/two.png'),
        nowhere: link(t, 'nothing'),
        data: link(t, '.'),
      },
    },
  });
  const media = ['files/media/shirts/one.png', 'files/media/two.png'];
  t.strictSame(await filesOf(join(root, 'box')), [...media, 'files/three.png'].sort());
});

t.test('media elsewhere takes the place of what is left of it in data', async (t) => {
  const root = t.testdir({
    disk: { 'a.png': 'new' },
    box: { data: { media: { 'a.png': 'old', 'b.png': '' }, 'c.txt': '' } },
  });
  const secrets = { MEDIA_FOLDER: join(root, 'disk') };
  t.strictSame(await filesOf(join(root, 'box'), secrets), ['files/c.txt', 'files/media/a.png']);
  const within = { MEDIA_FOLDER: 'data/media' };
  t.strictSame(await filesOf(join(root, 'box'), within), ['files/c.txt', 'files/media/a.png', 'files/media/b.png']);
});
