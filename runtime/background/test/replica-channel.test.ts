/**
 * The replica channel: each replica receives the notifications of the others, also after a lost connection.
 */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import { administer, createTestDatabase } from '../../testing/database.ts';
import { openReplicaChannel } from '../replica-channel.ts';

const silent = pino({ level: 'silent' });

t.test('the others receive a notification, its sender does not', async (t) => {
  const database = await createTestDatabase('empty');
  const received: [channel: string, tenantId: string][] = [];
  const channels = ['first', 'second', 'third'].map((name) =>
    openReplicaChannel(database.url, (tenantId) => received.push([name, tenantId]), silent),
  );
  t.teardown(async () => {
    await Promise.all(channels.map((channel) => channel.close()));
    await database.drop();
  });
  const [first] = channels;

  /** Notifies until both others have received it: connecting takes a moment. */
  const untilReceived = async (tenantIds: string[]) => {
    for (;;) {
      for (const tenantId of tenantIds) first?.notify(tenantId);
      await new Promise((resolve) => setTimeout(resolve, 100));
      const hasReceived = (name: string) =>
        tenantIds.every((tenantId) => received.some(([channel, id]) => channel === name && id === tenantId));
      if (hasReceived('second') && hasReceived('third')) return;
    }
  };

  await untilReceived([randomUUID()]);
  // More than one notification can hold.
  await untilReceived(Array.from({ length: 450 }, () => randomUUID()));
  t.notOk(received.some(([channel]) => channel === 'first'));

  await administer(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'box events'
        and datname = '${new URL(database.url).pathname.slice(1)}'`,
  );
  await untilReceived([randomUUID()]);
  t.notOk(
    received.some(([channel]) => channel === 'first'),
    'also after it has reconnected',
  );
});

t.test('an unreachable database delays neither a notification nor the end', async (t) => {
  const unexpected = () => t.fail('no replica notifies');
  const channel = openReplicaChannel('postgres://nobody@127.0.0.1:1/nothing', unexpected, silent);
  channel.notify(randomUUID());
  await channel.close();
  channel.notify(randomUUID());
  t.pass();
});
