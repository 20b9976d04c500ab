/**
 * The media rig in a shorter form, and that its inspection of stored files finds what must not be in them.
 */
import { deflateSync } from 'node:zlib';
import { exactly } from '@carton/runtime/testing';
import sharp from 'sharp';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';
import * as formats from '../formats.ts';
import { faultsOfFile } from '../inspect.ts';

const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } });
const text = (value: string) => Buffer.from(value, 'latin1');

t.test('clean pictures have no faults', async (t) => {
  for (const type of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
    t.strictSame(faultsOfFile(await picture.clone().toFormat(type).toBuffer(), `image/${type}`), [], type);
  }
});

t.test('what must not be in a picture is found', async (t) => {
  const [jpeg, png, webp] = (await Promise.all(
    (['jpeg', 'png', 'webp'] as const).map((type) => picture.clone().toFormat(type).toBuffer()),
  )) as [Buffer, Buffer, Buffer];
  const exif = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } };
  const tagged = picture.clone().withExif(exif).withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta>');
  const cases: [what: string, type: string, content: Buffer, finds: RegExp][] = [
    ['EXIF in a JPEG', 'image/jpeg', await tagged.clone().jpeg().toBuffer(), /a part 225/],
    ['EXIF in a PNG', 'image/png', await tagged.clone().png().toBuffer(), /a part eXIf/],
    ['EXIF in a WebP', 'image/webp', await tagged.clone().webp().toBuffer(), /a part EXIF/],
    ['EXIF in an AVIF', 'image/avif', await tagged.clone().avif().toBuffer(), /a part Exif/],
    [
      'a comment in a JPEG',
      'image/jpeg',
      formats.withJpegSegments(jpeg, [formats.jpegSegment(0xfe, text('x'))]),
      /a part 254/,
    ],
    ['a comment in a GIF', 'image/gif', formats.gif(9, 9, 2, [formats.gifComment('x')]), /a part extension 254/],
    ['XMP in a GIF', 'image/gif', formats.gif(9, 9, 2, [formats.gifXmp('x')]), /a part XMP DataXMP/],
    [
      'text in a PNG',
      'image/png',
      formats.withPngChunks(png, [formats.pngChunk('zTXt', deflateSync('x'))]),
      /a part zTXt/,
    ],
    ['XMP in a WebP', 'image/webp', formats.withWebpChunks(webp, { 'XMP ': 'x' }), /a part XMP /],
    ['an archive after a picture', 'image/png', Buffer.concat([png, formats.zip('x', 'x')]), /bytes follow its end/],
    ['a script after a picture', 'image/jpeg', Buffer.concat([jpeg, text('<SCRIPT>')]), /contains <script/],
    ['another type', 'image/png', jpeg, /its bytes are image\/jpeg/],
    ['a page', 'image/png', text('<html>'), /its bytes are null/],
  ];
  for (const [what, type, content, finds] of cases) t.match(faultsOfFile(content, type).join('; '), finds, what);
});

t.test('the short form', async (t) => {
  const ended = await rig('media', '--short', '--hostile', '60', '--uploads', '6');
  const { filesInspected, stored, refusedUntilLater, s3rverFilesReadAfterwards, ...rest } = found(ended);
  t.match(rest, { rig: 'media', held: true, broken: exactly([]), hostileFiles: 60, uploadsAtOnce: 6 });
  t.strictSame(rest.broken, [], 'no broken promise');
  if (!t.equal(ended.code, 0)) t.comment(ended.stdout + ended.stderr);
  t.ok(rest['made harmless'] > 10 && rest.unsupported_file_type > 5 && rest.picture_unreadable > 5, 'of each outcome');
  t.ok(filesInspected > 20, 'the stored files were inspected');
  t.equal(stored + refusedUntilLater, 6);
  t.ok(s3rverFilesReadAfterwards >= 1, 'files were read after the outage');
});
