/**
 * Downloads by the links of mails: headers, ranges, limits and ends, and what tokens are kept from.
 */
import { forgetAttempts } from '@carton/auth/testing';
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import { pino } from 'pino';
import t from 'tap';
import { readByToken } from '../content/service.ts';
import {
  buy,
  createArticle,
  dayAgo,
  download,
  grantsOf,
  latestMail,
  packages,
  timelineOf,
  tokensOf,
  unknownId,
  upload,
} from './helpers.ts';

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
const box = await createTestBox(t, { packages, tier: 'basic', log, slowQueries: 0 });
const other = await box.openTenant();
const song = await createArticle(box, 'song.mp3');
const content = 'content of song.mp3';

/** A bought song with its link. */
async function boughtSong(limits?: object) {
  const { id, grants, payment } = await buy(box, song);
  const grantId = grants[0]?.id as string;
  if (limits) await bodyOf(box.staff.patch(`/admin/download-grants/${grantId}`, limits));
  const { 'song.mp3': token } = await tokensOf(box, id);
  const path = `/downloads/${token}`;
  return {
    id,
    payment,
    grantId,
    token: token as string,
    path,
    get: (range?: string) => download(box, path, { range }),
  };
}
const countOf = async (orderId: string) => (await grantsOf(box, orderId))[0]?.downloadCount;

t.test('a link leads to the file, which is saved and not opened', async (t) => {
  const { id, path, get } = await boughtSong();
  const file = await get();
  t.strictSame([file.status, file.text], [200, content]);
  t.match(Object.fromEntries(file.headers), {
    'content-type': 'application/octet-stream',
    'content-length': String(content.length),
    'content-disposition': `attachment; filename="song.mp3"; filename*=UTF-8''song.mp3`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'accept-ranges': 'bytes',
  });
  t.match(file.headers.get('content-security-policy'), /sandbox/);
  t.equal((await get()).status, 200);
  t.equal(await countOf(id), 2);
  t.strictSame(await timelineOf(box, id), ['Downloads granted: song.mp3', 'Downloaded for the first time: song.mp3']);
  const head = await download(box, path, { method: 'HEAD' });
  t.strictSame([head.status, head.headers.get('content-length'), head.text], [200, String(content.length), '']);
  t.equal(await countOf(id), 2, 'HEAD downloads nothing');
  t.match(await get('bytes=99999999-'), { status: 416, code: 'range_not_satisfiable' });
  t.equal(await countOf(id), 2, 'nor does a part that the file does not have');
});

t.test('the parts of a download count once, in any order and for a day', async (t) => {
  const { id, get } = await boughtSong({ maxDownloads: 1 });
  t.match(await get('bytes=0-1'), { status: 206, text: 'co' }, 'a player asks for the first bytes alone');
  t.match(await get('bytes=0-6'), { status: 206, text: 'content' });
  for (let count = 1; count <= 3; count++) t.match(await get('bytes=8-9'), { status: 206, text: 'of' });
  t.equal(await countOf(id), 1);
  await box.db.query(
    `update download_grants set last_downloaded_at = ${dayAgo} where tenant_id = $1 and order_id = $2`,
    [id],
  );
  t.match(await get('bytes=0-0'), { status: 410, code: 'download_limit_reached' });
  t.match(await get('bytes=8-9'), { status: 410, code: 'download_limit_reached' });
  t.match(await get('bytes=-4'), { status: 410, code: 'download_limit_reached' });

  const second = await boughtSong({ maxDownloads: 1 });
  t.match(await second.get('bytes=8-9'), { status: 206, text: 'of' });
  t.equal(await countOf(second.id), 1, 'a download that begins with a later part');
  t.match(await second.get('bytes=10-'), { status: 206, text: ' song.mp3' });
  t.match(await second.get(), { status: 410, code: 'download_limit_reached' });
});

t.test('parts never add up to more than the downloads that count', async (t) => {
  const parts = ['bytes=1-', 'bytes=0-', 'bytes=-18', 'bytes=1-18', 'bytes=0-9, 10-18'];
  for (const range of parts) {
    const { id, get } = await boughtSong({ maxDownloads: 2 });
    const answers = [await get('bytes=0-0'), await get(range), await get(range), await get(range)];
    t.strictSame(
      answers.map(({ status }) => status),
      range === 'bytes=0-9, 10-18' ? [206, 200, 200, 410] : [206, 206, 206, 410],
      range,
    );
    t.equal(await countOf(id), 2);
  }
  const { id, get } = await boughtSong({ maxDownloads: 3 });
  let received = 0;
  for (let request = 0; request < 100; request++) received += (await get('bytes=18-')).status === 206 ? 1 : 0;
  t.equal(received, 3 * (content.length + Math.floor(content.length / 4)));
  t.equal(await countOf(id), 3);
});

t.test('no more complete files are sent than downloads count, whatever the ranges', async (t) => {
  const size = content.length;
  const plans: [what: string, ranges: (string | undefined)[]][] = [
    ['complete requests', [undefined]],
    ['quarters after each', [undefined, 'bytes=0-3', 'bytes=4-7', 'bytes=8-11', 'bytes=12-15', 'bytes=16-18']],
    ['halves', ['bytes=0-9', 'bytes=10-']],
    ['single bytes between', ['bytes=0-0', undefined, 'bytes=18-']],
  ];
  for (const [what, ranges] of plans) {
    const { id, get } = await boughtSong({ maxDownloads: 10 });
    let received = 0;
    for (let round = 0; round < 30; round++)
      for (const range of ranges) {
        const { status, text } = await get(range);
        if (status !== 410) received += text.length;
      }
    // What of the quarters is left, byte by byte.
    for (let byte = 0; byte < size; byte++) received += (await get('bytes=0-0')).status === 206 ? 1 : 0;
    t.equal(Math.floor(received / size), 10, `${what}: ${received} bytes`);
    t.equal(await countOf(id), 10);
  }
});

t.test('each download can be resumed, on another day too', async (t) => {
  const { id, get } = await boughtSong({ maxDownloads: 5 });
  for (let count = 1; count <= 5; count++) {
    await box.db.query(
      `update download_grants set last_downloaded_at = ${dayAgo} where tenant_id = $1 and order_id = $2`,
      [id],
    );
    t.equal((await get()).status, 200);
    // The client has lost the end of some of them.
    if (count > 2) t.match(await get('bytes=16-'), { status: 206 }, `${count}`);
    t.equal(await countOf(id), count);
  }
  t.match(await get(), { status: 410, code: 'download_limit_reached' });
});

t.test('what a download did not send is left for the next request', async (t) => {
  const size = 1_000_000;
  const film = await createArticle(box);
  t.equal((await upload(box, film, 'film.mp4', 'x'.repeat(size))).status, 201);
  const { id, grants } = await buy(box, film);
  await bodyOf(box.staff.patch(`/admin/download-grants/${grants[0]?.id}`, { maxDownloads: 1 }));
  const { 'film.mp4': token = '' } = await tokensOf(box, id);
  const begin = async () => {
    const { open } = await readByToken({ db: box.db, client: { address: '127.0.0.1' } as never }, token);
    return open()[Symbol.asyncIterator]();
  };
  const first = await begin();
  const { value } = await first.next();
  t.ok(value.length < size / 4, 'the file has several chunks');
  await t.rejects((await begin()).next(), /downloaded 1 times/, 'while it is sent');
  await first.return?.();
  const second = await begin();
  t.notOk((await second.next()).done, 'after the client has disconnected');
  t.equal(await countOf(id), 1);
  for (let next = await second.next(); !next.done; ) next = await second.next();
  t.match(await download(box, `/downloads/${token}`), { status: 410, code: 'download_limit_reached' });
});

t.test('a file is downloaded as often as the grant allows', async (t) => {
  const { id, grantId, get } = await boughtSong({ maxDownloads: 2 });
  t.strictSame([(await get()).status, (await get()).status], [200, 200]);
  t.match(await get(), { status: 410, code: 'download_limit_reached' });
  t.match(await grantsOf(box, id), exactly([{ state: 'limit_reached', downloadCount: 2 }]));
  await bodyOf(box.staff.patch(`/admin/download-grants/${grantId}`, { maxDownloads: 3 }));
  t.equal((await get()).status, 200);
  t.equal((await get()).status, 410);
  await bodyOf(box.staff.patch(`/admin/download-grants/${grantId}`, { maxDownloads: null }));
  t.equal((await get()).status, 200);
});

t.test('a grant expires, and ends by staff', async (t) => {
  const { id, grantId, token, path, get } = await boughtSong({
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  t.equal((await get()).status, 200);
  const past = "update download_grants set expires_at = now() - interval '1 second' where tenant_id = $1 and id = $2";
  await box.db.query(past, [grantId]);
  t.match(await get(), { status: 410, code: 'download_ended' });
  t.match(await get('bytes=8-9'), { status: 410, code: 'download_ended' });
  t.match(await grantsOf(box, id), exactly([{ state: 'expired', downloadCount: 1 }]));
  const change = (body: object) => bodyOf(box.staff.patch(`/admin/download-grants/${grantId}`, body));
  await change({ expiresAt: null });
  t.equal((await get()).status, 200);
  const opened = await readByToken({ db: box.db, client: { address: '127.0.0.1' } as never }, token);
  t.match(await change({ ended: true }), { state: 'ended', endedBy: 'staff' });
  await t.rejects(opened.open()[Symbol.asyncIterator]().next(), /ended/, 'meanwhile');
  t.equal((await download(box, path, { method: 'HEAD' })).status, 410);
  t.match(await get(), { status: 410, code: 'download_ended' });
  t.match(await change({ ended: false }), { state: 'available', endedBy: null, endedAt: null });
  t.equal((await get()).status, 200);
});

t.test('new links replace those of earlier mails', async (t) => {
  const { id, token, get } = await boughtSong();
  t.match(await box.staff.post(`/admin/orders/${id}/downloads/send`), { status: 202 });
  t.equal((await get()).status, 200, 'until the mail is sent');
  const { 'song.mp3': second } = await tokensOf(box, id);
  t.not(second, token);
  t.match(await get(), { status: 404, code: 'not_found' });
  t.equal((await download(box, `/downloads/${second}`)).status, 200);
  t.equal(await countOf(id), 2, 'the count stays');
});

t.test('an unknown token is 404, and several of them have to wait', async (t) => {
  await forgetAttempts(box);
  const { path, get } = await boughtSong();
  const foreign = await download({ ...other, url: box.url }, path);
  t.match(foreign, { status: 404, code: 'not_found' }, 'of another store');
  for (let count = 1; count <= 10; count++) {
    t.match(await download(box, `/downloads/dwn_${count}`), { status: 404, code: 'not_found' });
  }
  t.match(await download(box, '/downloads/dwn_11'), { status: 429, code: 'too_many_requests' });
  t.equal((await get()).status, 200, 'known tokens are not hindered');
});

t.test('tokens are in no row and no log', async (t) => {
  const { id, token, get } = await boughtSong();
  await get();
  await download(box, `/downloads/${token}`, { method: 'POST' });
  const tables = await box.owner.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  for (const { name } of tables) {
    const [row] = await box.owner.query<{ found: number }>(
      `select count(*)::integer as found from "${name}" stored where strpos(stored::text, $1) > 0`,
      [token],
    );
    t.equal(row?.found, 0, name);
  }
  const logged = lines.join('');
  t.ok(logged.includes('"path":"/downloads/:token"'));
  t.notOk(logged.includes(token));
  t.notOk(JSON.stringify((await box.staff.get(`/admin/orders/${id}/downloads`)).body).includes(token));
});

t.test('the mail names each file, what is left of it, and its link', async (t) => {
  const { id, grantId } = await boughtSong({ maxDownloads: 4 });
  const mail = await latestMail(box, id);
  const item = { fileName: 'song.mp3', size: '0.1 kB', link: null, remaining: 4, expiresAt: null };
  t.match(mail, { to: 'ada@example.com', data: { order: { id }, downloads: exactly([item]) } });
  const setUrl = (linkUrl: string | null) => box.staff.patch('/admin/store', { settings: { download: { linkUrl } } });
  await setUrl('https://www.example.com/files?token={token}');
  const [named] = (await latestMail(box, id))?.data.downloads ?? [];
  t.equal(named?.link, `https://www.example.com/files?token=${named?.token}`);
  await setUrl(null);
  await bodyOf(box.operator.post(`/admin/tenants/${box.id}/domains`, { host: 'store.example' }));
  const [hosted] = (await latestMail(box, id))?.data.downloads ?? [];
  t.equal(hosted?.link, `https://store.example/downloads/${hosted?.token}`);
  await bodyOf(box.staff.patch(`/admin/download-grants/${grantId}`, { ended: true }));
  t.equal(await latestMail(box, id), null, 'nothing is left to send');
  t.match(await box.staff.post(`/admin/orders/${id}/downloads/send`), { status: 409, body: { code: 'no_downloads' } });
  t.match(await box.staff.post(`/admin/orders/${unknownId}/downloads/send`), { status: 404 });
});
