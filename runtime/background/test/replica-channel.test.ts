/**
 * The line between replicas: each hears of the others' tenants, and hears again after the line broke.
 */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import { administer, createTestDatabase } from '../../testing/database.ts';
import { openReplicaChannel } from '../replica-channel.ts';

const silent = pino({ level: 'silent' });

t.test('what one tells, the others hear, and it does not', async (t) => {
  const database = await createTestDatabase('empty');
  const heard: [line: string, tenantId: string][] = [];
  const lines = ['first', 'second', 'third'].map((name) =>
    openReplicaChannel(database.url, (tenantId) => heard.push([name, tenantId]), silent),
  );
  t.teardown(async () => {
    await Promise.all(lines.map((line) => line.close()));
    await database.drop();
  });
  const [first] = lines;

  /** Tells until both others have heard: a line takes a moment to open. */
  const untilHeard = async (tenantIds: string[]) => {
    for (;;) {
      for (const tenantId of tenantIds) first?.notify(tenantId);
      await new Promise((resolve) => setTimeout(resolve, 100));
      const hasHeard = (name: string) =>
        tenantIds.every((tenantId) => heard.some(([line, told]) => line === name && told === tenantId));
      if (hasHeard('second') && hasHeard('third')) return;
    }
  };

  await untilHeard([randomUUID()]);
  // More than fit into one notification.
  await untilHeard(Array.from({ length: 450 }, () => randomUUID()));
  t.notOk(heard.some(([line]) => line === 'first'));

  await administer(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'box events'
        and datname = '${new URL(database.url).pathname.slice(1)}'`,
  );
  await untilHeard([randomUUID()]);
  t.notOk(
    heard.some(([line]) => line === 'first'),
    'also when it was opened again',
  );
});

t.test('a database that is away keeps nobody', async (t) => {
  const line = openReplicaChannel('postgres://nobody@127.0.0.1:1/nothing', () => t.fail('nobody tells'), silent);
  line.notify(randomUUID());
  await line.close();
  line.notify(randomUUID());
  t.pass();
});
