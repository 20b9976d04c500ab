/**
 * Mutations of the rules that separate tenants: row-level security, statements, hosts, secrets, keys, ETags.
 */
import type { Mutation } from '../mutation.ts';

export const tenants: readonly Mutation[] = [
  {
    rule: 'A policy shows the rows of the tenant of the connection only',
    file: 'runtime/db/row-security.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: 'using (${isTenant}) with check',
    replacement: 'using (true) with check',
    tests: ['runtime/db/test/row-security.test.ts', 'runtime/test/row-security.test.ts'],
    ownTemplate: true,
  },
  {
    rule: 'A policy lets a connection write rows of its tenant only',
    file: 'runtime/db/row-security.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: 'with check (${isTenant})',
    replacement: 'with check (true)',
    tests: ['runtime/db/test/row-security.test.ts'],
  },
  {
    rule: 'Policies are forced on the owner of the tables',
    file: 'runtime/db/row-security.ts',
    text: "const force = (await isCitus(knex)) ? 'no force' : 'force';",
    replacement: "const force = 'no force';",
    tests: ['runtime/db/test/row-security.test.ts'],
  },
  {
    rule: 'The box works as a role to which the policies apply',
    file: 'runtime/db/row-security.ts',
    text: 'return { role, enforced: true,',
    replacement: 'return { role: null, enforced: true,',
    tests: ['runtime/db/test/row-security.test.ts'],
  },
  {
    rule: 'A connection whose tenant could not be set reads nothing',
    file: 'runtime/db/row-security.ts',
    text: 'connection.tenantId = undefined;',
    replacement: '',
    tests: ['runtime/db/test/row-security.test.ts'],
  },
  {
    rule: 'A statement names its tenant',
    file: 'runtime/db/tenant-reader.ts',
    text: 'if (!/\\$1(?!\\d)/.test(text)) {',
    replacement: 'if (text === undefined) {',
    tests: ['runtime/db/test/tenant-database.test.ts'],
  },
  {
    rule: 'Queries that are built are of one tenant',
    file: 'runtime/db/tenant-reader.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: '.where(`${name}.tenant_id`, this.tenantId)',
    replacement: '',
    tests: ['runtime/db/test/tenant-database.test.ts'],
  },
  {
    rule: 'A change is of one tenant, without row-level security too',
    file: 'runtime/db/tenant-database.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: "set ${set.join(', ')} where tenant_id = $1${condition} returning *`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    replacement: "set ${set.join(', ')} where $1::uuid is not null${condition} returning *`",
    tests: ['runtime/db/test/tenant-database.test.ts'],
  },
  {
    rule: 'Each key of a table begins with the tenant',
    file: 'runtime/db/tenant-keys.ts',
    text: "rows.filter((row) => row.firstColumn !== 'tenant_id')",
    replacement: 'rows.filter((row) => row.firstColumn === undefined)',
    tests: ['runtime/db/test/migrations.test.ts'],
  },
  {
    rule: 'A reference leads to no row of another tenant',
    file: 'runtime/db/tenant-keys.ts',
    text: 'if (rows.length === 0) return;',
    replacement: 'if (rows.length >= 0) return;',
    tests: ['runtime/db/test/migrations.test.ts'],
  },
  {
    rule: 'A store is named by its slug only with the hosting secret',
    file: 'runtime/box/tenancy.ts',
    text: 'if (!secretsEqual(ctx.get(hostingSecretHeader), this.#secrets.hosting)) {',
    replacement: 'if (!this.#secrets.hosting) {',
    tests: ['vendor/tenant/test/tenants.test.ts'],
  },
  {
    rule: 'A suspended store serves nothing',
    file: 'runtime/box/tenancy.ts',
    text: "if (tenant.status === 'suspended') throw tenantSuspended();",
    replacement: '',
    tests: ['vendor/tenant/test/tenants.test.ts'],
  },
  {
    rule: 'A suspension applies from the next request on',
    file: 'runtime/box/tenancy.ts',
    text: 'invalidate(): void {\n    this.#cache.clear();',
    replacement: 'invalidate(): void {',
    tests: ['vendor/tenant/test/tenants.test.ts'],
  },
  {
    rule: 'A box with several stores serves none at an unknown host',
    file: 'vendor/core/tenants/store.ts',
    text: 'return tenants.length === 1 ? (tenants[0] as TenantRow) : null;',
    replacement: 'return tenants[0] ?? null;',
    tests: ['vendor/tenant/test/tenants.test.ts'],
  },
  {
    rule: 'An exact host takes precedence over a wildcard',
    file: 'vendor/tenant/domains/store.ts',
    text: "state <> 'pending' order by host = $1 desc limit 1",
    replacement: "state <> 'pending' order by host = $1 limit 1",
    tests: ['vendor/tenant/test/tenants.test.ts'],
  },
  {
    rule: 'A host that is not proved is not served',
    file: 'vendor/tenant/domains/store.ts',
    text: "where (host = $1 or host = $2) and state <> 'pending'",
    replacement: 'where (host = $1 or host = $2)',
    tests: ['vendor/tenant/test/proof.test.ts'],
  },
  {
    rule: 'No store has a host above or below that of another',
    file: 'vendor/tenant/domains/service.ts',
    text: 'if (isTaken) throw hostTaken(',
    replacement: 'if (!isTaken && !host) throw hostTaken(',
    tests: ['vendor/tenant/test/hosts.test.ts'],
  },
  {
    rule: 'Guests do not share idempotency keys',
    file: 'runtime/box/idempotency.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: "`session ${session?.begin() ?? ''}`",
    replacement: "'session'",
    tests: ['runtime/test/sessions.test.ts'],
  },
  {
    rule: 'Members do not share idempotency keys',
    file: 'runtime/box/idempotency.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: '`member ${session.memberId}`',
    replacement: "'member'",
    tests: ['vendor/member/test/sessions.test.ts'],
  },
  {
    rule: 'Staff do not share idempotency keys',
    file: 'runtime/box/idempotency.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: 'return `staff ${staff.id}`;',
    replacement: "return 'staff';",
    tests: ['vendor/order/test/canceling.test.ts'],
  },
  {
    rule: 'An idempotency key belongs to one request',
    file: 'runtime/box/idempotency.ts',
    text: 'if (stored && stored.fingerprint !== fingerprint) throw idempotencyConflict();',
    replacement: '',
    tests: ['vendor/cart/test/items.test.ts'],
  },
  {
    rule: 'The session of a shopper is valid in one store',
    file: 'runtime/box/session-token.ts',
    text: '.update(tenantId + sessionId)',
    replacement: '.update(sessionId)',
    tests: ['runtime/test/sessions.test.ts'],
  },
  {
    rule: 'A new box takes no session without a signature',
    file: 'runtime/box/session-keys.ts',
    text: 'applied_at > (select min(applied_at)',
    replacement: 'applied_at >= (select min(applied_at)',
    tests: ['runtime/test/sessions.test.ts'],
  },
  {
    rule: 'A session without a signature is older than the release that signs them',
    file: 'vendor/cart/guests/store.ts',
    text: 'and created_at < $3 limit 1',
    replacement: 'and $3::timestamptz is not null limit 1',
    tests: ['vendor/cart/test/sessions.test.ts'],
  },
  {
    rule: 'A session without a signature is replaced when it is first used',
    file: 'runtime/box/unsigned-sessions.ts',
    text: 'const sessionId = newSessionId();',
    replacement: 'const sessionId = [...this.#replaced.keys()].map((key) => key.slice(-43)).at(0) ?? newSessionId();',
    tests: ['vendor/cart/test/sessions.test.ts'],
  },
  {
    rule: 'Callers of different stores have separate rate limits',
    file: 'runtime/box/rate-limits.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: "`${tenant?.id ?? 'box'} ${name}`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    replacement: '`box ${name}`',
    tests: ['runtime/test/rate-limits.test.ts'],
  },
  {
    rule: 'A change that expects another state, or no resource, is refused',
    file: 'runtime/http/conditional-writes.ts',
    text: 'if (present) rejectKnown(ifNoneMatch, present.etag);',
    replacement: "if (present) rejectKnown('', present.etag);",
    tests: ['runtime/test/preconditions.test.ts'],
  },
  {
    rule: 'A change with an outdated ETag is refused',
    file: 'runtime/http/preconditions.ts',
    text: 'if (!matchesExactly(ifMatch, etag, isOfVersion ? hasSameVersion : undefined)) {',
    replacement: "if (!matchesExactly(ifMatch, etag, isOfVersion ? hasSameVersion : undefined) && etag === '') {",
    tests: ['runtime/test/conditional.test.ts'],
  },
  {
    rule: 'Delegation proves a domain only while one customer claims it',
    file: 'control-plane/boxes/proof/outcome.ts',
    text: 'return isShared ? sharedDelegation(domain) : null;',
    replacement: 'return isShared ? null : null;',
    tests: ['control-plane/test/shared-delegation.test.ts'],
  },
  {
    rule: 'A record ends what another customer has by delegation, and nothing less does',
    file: 'control-plane/boxes/domains/conflicts.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: 'own === other || other.endsWith(`.${own}`)',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    replacement: 'own === other || other.endsWith(`.${own}`) || own.endsWith(`.${other}`)',
    tests: ['control-plane/test/shared-delegation.test.ts'],
  },
  {
    rule: 'A domain belongs to one customer',
    file: 'control-plane/boxes/domains/conflicts.ts',
    text: 'conflicts.set(taken.claimed, taken);',
    replacement: '',
    tests: ['control-plane/test/boxes.test.ts'],
  },
  {
    rule: 'A licence key reads only the boxes of its customer',
    file: 'control-plane/boxes/store.ts',
    text: '.where({ customerId, name })',
    replacement: '.where({ name })',
    tests: ['control-plane/test/credentials.test.ts'],
  },
  {
    rule: 'Costly requests of a tenant begin after a pause',
    file: 'runtime/http/fair-share.ts',
    text: 'const isCostly = tenant.cost >= this.#costly &&',
    replacement: 'const isCostly = tenant.cost >= this.#costly * 1000 &&',
    tests: ['runtime/http/test/fair-share.test.ts'],
  },
  {
    rule: 'While a request of another tenant is at work, those that take long begin after a pause',
    file: 'runtime/http/fair-share.ts',
    text: 'this.#atWork > tenant.atWork.size;',
    replacement: 'false;',
    tests: ['runtime/http/test/fair-share.test.ts'],
  },
  {
    rule: 'A pause is not cut short by looking at what waits',
    file: 'runtime/http/fair-share.ts',
    text: 'if (performance.now() < tenant.pausedUntil - 1) return;',
    replacement: '',
    tests: ['runtime/http/test/fair-share.test.ts'],
  },
  {
    rule: 'Few of the requests of a tenant are at work at the same time',
    file: 'runtime/http/fair-share.ts',
    text: 'return Math.min(most, this.#together) - atWork;',
    replacement: 'return most - atWork;',
    tests: ['runtime/http/test/fair-share.test.ts'],
  },
  {
    rule: 'Of the requests of a tenant that cost more, fewer are at work at the same time',
    file: 'runtime/http/fair-share.ts',
    text: 'Math.floor(this.#costly / tenant.cost)',
    replacement: 'this.#together',
    tests: ['runtime/http/test/fair-share.test.ts'],
  },
  {
    rule: 'A request whose client has gone is not begun',
    file: 'runtime/http/fair-share.ts',
    text: "response.once('close', close);",
    replacement: "response.once('close', start);",
    tests: ['runtime/http/test/fair-share.test.ts'],
  },
  {
    rule: 'A tenant never holds all slots for costly work',
    file: 'runtime/compute/turns.ts',
    text: 'perTenant = Math.max(1, slots - 1)',
    replacement: 'perTenant = slots',
    tests: ['runtime/compute/test/turns.test.ts'],
  },
  {
    rule: 'Pictures wait for those of their own tenant only',
    file: 'vendor/media/pictures/service.ts',
    text: `return turns.run(db.tenantId, busy, async () => {
    const sharp = await loadSharp();
    if (type === heic)`,
    replacement: `return turns.run('all', busy, async () => {
    const sharp = await loadSharp();
    if (type === heic)`,
    tests: ['vendor/media/test/turns.test.ts'],
  },
  {
    rule: 'Tenants whose costly work waits take turns',
    file: 'runtime/compute/turns.ts',
    text: `      this.#waiting.delete(tenantId);
      if (queue.length > 0) this.#waiting.set(tenantId, queue);`,
    replacement: '      if (queue.length === 0) this.#waiting.delete(tenantId);',
    tests: ['runtime/compute/test/turns.test.ts'],
  },
  {
    rule: 'Little costly work of a tenant waits',
    file: 'runtime/compute/turns.ts',
    text: 'if (queue.length >= waiting) throw full();',
    replacement: '',
    tests: ['runtime/compute/test/turns.test.ts'],
  },
  {
    rule: 'Costly work of a tenant that takes too much memory at once is ended',
    file: 'runtime/compute/process.ts',
    text: '> this.#megabytes * 1024) this.end',
    replacement: '> this.#megabytes * 4096) this.end',
    tests: ['runtime/compute/test/compute.test.ts'],
  },
  {
    rule: 'Costly work of a tenant is not ended because the machine is busy',
    file: 'runtime/compute/process.ts',
    text: 'current.milliseconds * patience',
    replacement: 'current.milliseconds',
    tests: ['runtime/compute/test/compute.test.ts'],
  },
  {
    rule: 'A process that does the costly work of tenants has no secret of the box',
    file: 'runtime/compute/process.ts',
    text: '...(process.env[runAsNode] && { [runAsNode]: process.env[runAsNode] }),',
    replacement: '...process.env,',
    tests: ['runtime/compute/test/compute.test.ts'],
  },
  {
    rule: 'A mail whose rendering is costly work is tried again',
    file: 'vendor/notification/sending/service.ts',
    text: 'claimed.attempts >= costlyAttempts',
    replacement: 'claimed.attempts > 0',
    tests: ['vendor/notification/test/budget.test.ts'],
  },
  {
    rule: 'Kept parts of a sitemap are those of the store',
    file: 'vendor/website/sitemap/parts.ts',
    text: 'JSON.stringify([db.tenantId, kind.name, after])',
    replacement: 'JSON.stringify([kind.name, after])',
    tests: ['vendor/website/test/sitemap.test.ts'],
  },
  {
    rule: 'A session that was verified for one tenant is none of another',
    file: 'runtime/box/session-keys.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source.
    text: 'const name = `${tenantId} ${token}`;',
    replacement: 'const name = token;',
    tests: ['runtime/test/session-keys.test.ts'],
  },
];
