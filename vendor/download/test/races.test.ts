/**
 * Concurrency: an order is granted once, the last download has one winner, and what is granted keeps its file.
 */
import { bodyOf, createTestBox, eventsOf, raceRounds, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { releaseUnneeded } from '../files/release.ts';
import { followPayment, followRefunds } from '../grants/follow.ts';
import { buy, createArticle, download, grantsOf, order, packages, pay, tokensOf } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const song = await createArticle(box, 'song.mp3');
t.setTimeout(3_600_000);
const follow = (orderId: string) => box.db.transaction((tx) => followPayment(tx, orderId, new Date().toISOString()));

t.test('concurrent deliveries grant each file once, with one mail', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { id } = await order(box, [[song, 1]]);
    await Promise.all([pay(box, id, 1000), ...Array.from({ length: 3 }, () => follow(id))]);
    await Promise.all(Array.from({ length: 3 }, () => follow(id)));
    t.equal((await grantsOf(box, id)).length, 1);
    t.equal((await eventsOf(box, { resourceId: id, type: 'download.links_requested' })).length, 1);
  }
});

t.test('of concurrent requests for the last download one gets it', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { id, grants } = await buy(box, song);
    await bodyOf(box.staff.patch(`/admin/download-grants/${grants[0]?.id}`, { maxDownloads: 2 }));
    const path = `/downloads/${(await tokensOf(box, id))['song.mp3']}`;
    if (round % 2 === 0) t.equal((await download(box, path)).status, 200);
    const expected = round % 2 === 0 ? [200, 410, 410, 410] : [200, 200, 410, 410];
    const answers = await Promise.all(expected.map(() => download(box, path)));
    t.strictSame(answers.map(({ status }) => status).sort(), expected);
    t.equal((await grantsOf(box, id))[0]?.downloadCount, 2);
    const timeline = (await bodyOf(box.staff.get(`/admin/orders/${id}/timeline?limit=100`))).items;
    t.equal(timeline.filter(({ message }: { message: string }) => message.includes('first time')).length, 1);
  }
});

t.test('of a grant and a deletion of the file at the same time, what is granted keeps its file', async (t) => {
  const outcomes = new Set<string>();
  for (let round = 0; round < raceRounds; round++) {
    const variantId = await createArticle(box, 'file.pdf');
    const [{ id: fileId }] = (await bodyOf(box.staff.get(`/admin/variants/${variantId}/downloads`))).items;
    const { id } = await order(box, [[variantId, 1]]);
    await bodyOf(
      box.staff.post(`/admin/orders/${id}/payments`, { method: 'cash', amount: { amount: 999, currency: 'EUR' } }),
    );
    await untilDelivered(box);
    await box.db.query('update orders set paid_amount = total_amount where tenant_id = $1 and id = $2', [id]);
    const remove = () => box.staff.delete(`/admin/downloads/${fileId}`);
    const works = [() => follow(id), remove, () => releaseUnneeded(box.db)];
    if (round % 2 === 0) works.reverse();
    await Promise.all(works.map((work) => work()));
    await releaseUnneeded(box.db);
    const [grant] = await grantsOf(box, id);
    const rows = await box.db.query<{ fileId: string | null }>(
      'select file_id from downloads where tenant_id = $1 and id = $2',
      [fileId],
    );
    outcomes.add(grant ? 'granted' : 'deleted');
    if (!grant) {
      t.strictSame(rows, []);
      continue;
    }
    t.equal(grant.state, 'available');
    const path = `/downloads/${(await tokensOf(box, id))['file.pdf']}`;
    t.match(await download(box, path), { status: 200, text: 'content of file.pdf' });
  }
  t.comment([...outcomes].join(', '));
});

t.test('downloads, refunds and changes of a grant at the same time do not wait for each other forever', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { id, grants } = await buy(box, song);
    const path = `/downloads/${(await tokensOf(box, id))['song.mp3']}`;
    const patch = (body: object) => box.staff.patch(`/admin/download-grants/${grants[0]?.id}`, body);
    const answers = await Promise.all([
      download(box, path),
      box.db.transaction((tx) => followRefunds(tx, id)).then(() => ({ status: 200 })),
      patch({ maxDownloads: 5 }),
      download(box, path),
      patch({ maxDownloads: 6 }),
    ]);
    t.strictSame(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    t.equal((await grantsOf(box, id))[0]?.downloadCount, 2);
  }
});
