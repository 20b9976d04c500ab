/**
 * Filters of the list of orders: period, member, tag, amount and text, alone and combined.
 */
import { newId } from '@carton/runtime';
import { exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { draftOf, openBox, place, timelineOf } from '../testing/index.ts';

const box = await openBox(t);

/** Numbers of the orders that a query finds, newest first. */
async function find(tenant: TestTenant, query: Record<string, string>): Promise<string[]> {
  const { status, body } = await tenant.staff.get(`/admin/orders?${new URLSearchParams({ limit: '100', ...query })}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.items.map(({ number }: { number: string }) => number);
}

function totalOf(total: number) {
  return { subtotal: total, discount: 0, shipping: 0, tax: 0, credit: 0, total };
}

t.test('text is the beginning of the number, the e-mail address or a word of the name', async (t) => {
  const tenant = await box.openTenant();
  const orders: [number: string, email: string, name: string | null][] = [
    ['ORD-1001', 'ada.king@example.com', 'Ada Lovelace'],
    ['ORD-1002', 'Grace@Navy.example', "Grace O'Neill-Hopper"],
    ['2024/17', 'li@example.com', '王小明'],
    ['77', 'none@example.com', null],
  ];
  for (const [number, email, name] of orders) await place(tenant, { number, customer: { email, name } });
  const cases: [q: string, numbers: string[]][] = [
    ['ORD-1001', ['ORD-1001']],
    ['ord-100', ['ORD-1002', 'ORD-1001']],
    ['1002', ['ORD-1002']],
    ['#1002', ['ORD-1002']],
    ['17', ['2024/17']],
    ['7', ['77']],
    ['ADA.king@example.com', ['ORD-1001']],
    ['ada.k', ['ORD-1001']],
    ['grace@navy', ['ORD-1002']],
    [' ada ', ['ORD-1001']],
    ['love', ['ORD-1001']],
    ['ada lovelace', ['ORD-1001']],
    ['neill', ['ORD-1002']],
    ["o'neill-h", ['ORD-1002']],
    ['hopper', ['ORD-1002']],
    ['小', ['2024/17']],
    ['王小明', ['2024/17']],
    ['ovelace', []],
    ['king', []],
    ['example.com', []],
    ['navy', []],
    ['%', []],
    ['ada lovelaces', []],
    ['001', []],
    [' # ', ['77', '2024/17', 'ORD-1002', 'ORD-1001']],
  ];
  for (const [q, numbers] of cases) t.strictSame(await find(tenant, { q }), numbers, q);
  t.strictSame(await find(await box.openTenant(), { q: 'ada' }), [], 'not in another store');
});

t.test('an order is found by its number as people write it', async (t) => {
  const tenant = await box.openTenant();
  const { number } = await place(tenant, { number: 'ab-7' });
  for (const each of ['ab-7', '#ab-7', ' # AB-7 ', '#ＡＢ-7'])
    t.strictSame(await find(tenant, { number: each }), [number]);
  t.strictSame(await find(tenant, { number: '##ab-7' }), []);
});

t.test('an order is found without accents and apostrophes', async (t) => {
  const tenant = await box.openTenant();
  const { number } = await place(tenant, { customer: { email: 'a@example.com', name: "Zoë Müller-O'Neill Łuk" } });
  for (const q of ['muller', 'MÜLLER', 'zoe mull', 'oneill', "o'neill", 'łuk', 'luk']) {
    t.strictSame(await find(tenant, { q }), [number], q);
  }
  t.strictSame(await find(tenant, { q: 'mueller' }), []);
  const email = 'jörg@xn--mnchen-3ya.example';
  const other = await place(tenant, { customer: { email, name: null } });
  t.strictSame(await find(tenant, { q: 'JÖRG@münchen.example' }), [other.number]);
  t.strictSame(await find(tenant, { email: 'jörg@MÜNCHEN.example' }), [other.number]);
});

t.test('an order is found by its current name and address', async (t) => {
  const tenant = await box.openTenant();
  const { id, number } = await place(tenant, { customer: { email: 'old@example.com', name: 'Amber Old' } });
  const change = (customer: object) => tenant.staff.patch(`/admin/orders/${id}`, { customer });
  t.equal((await change({ email: 'new@example.com' })).status, 200);
  t.strictSame([await find(tenant, { q: 'old@' }), await find(tenant, { q: 'new@' })], [[], [number]]);
  t.equal((await change({ name: 'Copper New' })).status, 200);
  t.strictSame([await find(tenant, { q: 'amber' }), await find(tenant, { q: 'copper' })], [[], [number]]);
  t.equal((await change({ name: null })).status, 200);
  t.strictSame([await find(tenant, { q: 'copper' }), await find(tenant, { q: number })], [[], [number]]);
});

t.test('the migration writes the same words as a box', async (t) => {
  const words = () => box.owner.query('select * from order_words order by tenant_id, order_id, word_from');
  const written = await words();
  t.ok(written.length > 15);
  const textOf = async (name: string) => {
    const { up } = await import(new URL(`../migrations/${name}.js`, import.meta.url).href);
    let text = '';
    await up({ raw: (sql: string) => (text = sql) });
    return text;
  };
  const filling = await textOf('20261122172110_order_fill_words');
  const dating = await textOf('20261122223000_order_list_by_word');
  await box.owner.query('delete from order_words');
  await box.owner.query(filling.slice(0, filling.indexOf(';')));
  await box.owner.query(/update order_words[^;]+/.exec(dating)?.[0] as string);
  // Without those without accents, which orders have from their next change on.
  const all = new Set(written.map((row) => JSON.stringify(row)));
  const migrated = (await words()).map((row) => JSON.stringify(row));
  t.ok(migrated.length > 15 && migrated.length <= written.length);
  t.strictSame(
    migrated.filter((row) => !all.has(row)),
    [],
  );
});

t.test('tags are trimmed, distinct and found in any case', async (t) => {
  const tenant = await box.openTenant();
  const [first, second] = [await place(tenant), await place(tenant)];
  const change = (id: string, tags: unknown) => tenant.staff.patch(`/admin/orders/${id}`, { tags });
  const changed = await change(first.id, [' Gift ', 'vip', 'GIFT', 'Vip', 'phone order']);
  t.strictSame([changed.status, changed.body.tags], [200, ['Gift', 'vip', 'phone order']]);
  t.strictSame((await tenant.staff.get(`/admin/orders/${first.id}`)).body.tags, ['Gift', 'vip', 'phone order']);
  await change(second.id, ['gift', 'é']);
  t.strictSame(await timelineOf(tenant, second.id), ['Changed: tags', 'Order placed']);
  const [one, two] = [first.number, second.number];
  t.strictSame(await find(tenant, { tag: 'gIFT' }), [two, one]);
  t.strictSame(await find(tenant, { tag: ' vip ' }), [one]);
  t.strictSame(await find(tenant, { tag: 'gif' }), []);
  t.strictSame(await find(tenant, { tag: 'É' }), [two]);
  await change(second.id, ['gift', 'e\u0301', 'GRÖSSE', 'Größe']);
  for (const tag of ['é', 'E\u0301', 'größe', 'ＧＲÖẞＥ']) t.strictSame(await find(tenant, { tag }), [two], tag);
  await tenant.db.query("update order_tags set tag_key = 'größe' where tenant_id = $1 and tag_key = 'grösse'");
  t.strictSame(await find(tenant, { tag: 'Größe' }), [two], 'as earlier releases have stored it');
  t.strictSame((await change(first.id, ['Returned'])).body.tags, ['Returned']);
  t.strictSame([await find(tenant, { tag: 'gift' }), await find(tenant, { tag: 'returned' })], [[two], [one]]);
  t.strictSame((await change(first.id, [])).body.tags, []);
  t.strictSame(await find(tenant, { tag: 'returned' }), []);
  const many = Array.from({ length: 50 }, (_, at) => `tag ${at}`);
  t.equal((await change(first.id, many)).status, 200);
  for (const tags of [[...many, 'more'], [''], [' '], ['a'.repeat(51)], 'gift', null, [7]]) {
    t.match(await change(first.id, tags), { status: 400 }, JSON.stringify(tags));
  }
});

t.test('period, member and amount', async (t) => {
  const tenant = await box.openTenant();
  const memberId = newId();
  const totals: [total: number, currency: string, memberId: string | null][] = [
    [1000, 'EUR', null],
    [2000, 'EUR', memberId],
    [2000, 'USD', memberId],
    [3000, 'EUR', null],
  ];
  const orders = [];
  for (const [total, currency, memberId] of totals) {
    orders.push(await place(tenant, { totals: totalOf(total), currency, memberId }));
  }
  const [a, b, c, d] = orders.map(({ number }) => number) as [string, string, string, string];
  const day = (at: number) => `2026-03-0${at}T00:00:00.000Z`;
  for (const [at, { id }] of orders.entries()) {
    await tenant.db.query('update orders set created_at = $2 where tenant_id = $1 and id = $3', [day(at + 1), id]);
  }
  const cases: [Record<string, string>, string[]][] = [
    [{ placedFrom: day(2) }, [d, c, b]],
    [{ placedTo: day(2) }, [a]],
    [{ placedFrom: day(2), placedTo: day(4) }, [c, b]],
    [{ placedFrom: '2026-03-02T01:00:00+01:00', placedTo: '2026-03-02T00:00:00.001Z' }, [b]],
    [{ memberId }, [c, b]],
    [{ memberId: newId() }, []],
    [{ currency: 'USD' }, [c]],
    [{ totalMin: '2000' }, [d, b]],
    [{ totalMax: '2000' }, [b, a]],
    [{ totalMin: '2000', totalMax: '2000' }, [b]],
    [{ totalMin: '2000', currency: 'USD' }, [c]],
    [{ totalMin: '2001', currency: 'USD' }, []],
    [{ memberId, totalMin: '2000', placedTo: day(3) }, [b]],
    [{ status: 'placed', placedFrom: day(3) }, [d, c]],
    [{ status: 'canceled', placedFrom: day(3) }, []],
    [{ paymentStatus: 'unpaid', totalMax: '1000', q: 'ada' }, [a]],
    [{ number: b, q: 'grace' }, []],
    [{ number: b, q: 'ada' }, [b]],
  ];
  for (const [query, expected] of cases) t.strictSame(await find(tenant, query), expected, JSON.stringify(query));
  await tenant.staff.patch('/admin/store', { defaultCurrency: 'USD' });
  t.strictSame(await find(tenant, { totalMin: '1' }), [c], "the store's default currency");
  for (const query of ['placedFrom=yesterday', 'totalMin=-1', 'totalMin=1.5', 'currency=euro', 'tag=', 'q=']) {
    t.match(await tenant.staff.get(`/admin/orders?${query}`), { status: 400 }, query);
  }
  const both = `updatedAfter=2026-01-01T00:00:00Z&q=ada`;
  t.match(await tenant.staff.get(`/admin/orders?${both}`), { status: 400, body: { code: 'invalid_request' } });
});

t.test('many matches are paged, each order once, wherever they are in the list', async (t) => {
  const tenant = await box.openTenant();
  const seed = await place(tenant, { customer: { email: 'common@example.com', name: 'Rare' } });
  // Many orders match each filter, and few match all of them, in the older half of the list.
  const text = (part: string) => `md5('${seed.id}' || at || '${part}')`;
  await tenant.db.query(
    `insert into orders (tenant_id, id, number, payment_status, currency, subtotal_amount, discount_amount,
                         shipping_amount, tax_amount, credit_amount, total_amount, email, created_at)
     select $1, ${text('')}::uuid, 'N' || at, case when at % 5 = 0 then 'paid' else 'unpaid' end, 'EUR', 1, 0, 0, 0, 0,
            case when at % 4 = 0 then 5000 else 100 end, 'x@example.com', now() - at * interval '1 second'
       from generate_series(1, 6000) as at`,
  );
  await tenant.db.query(
    `insert into order_words (tenant_id, order_id, word_from, created_at)
     select tenant_id, id, 'walnut', created_at from orders where tenant_id = $1 and substr(number, 2)::int % 2 = 0
        and number like 'N%' and substr(number, 2)::int > 3000`,
  );
  await tenant.db.query(
    `insert into order_words (tenant_id, order_id, word_from, created_at)
     select tenant_id, id, 'waltz on', created_at from orders
      where tenant_id = $1 and number like 'N%' and substr(number, 2)::int % 7 = 0`,
  );
  await tenant.db.query(
    `update orders set archived_at = now() where tenant_id = $1 and number like 'N%' and substr(number, 2)::int > 4001`,
  );
  await tenant.db.query(
    `insert into order_tags (tenant_id, order_id, tag_key, created_at)
     select tenant_id, id, 'gift', created_at from orders
      where tenant_id = $1 and number like 'N%' and substr(number, 2)::int % 3 = 0`,
  );
  const expected = (matches: (at: number) => boolean) =>
    Array.from({ length: 6000 }, (_, at) => at + 1)
      .filter(matches)
      .map((at) => `N${at}`);
  const cases: [Record<string, string>, string[]][] = [
    [{ tag: 'gift' }, expected((at) => at % 3 === 0)],
    [{ q: 'walnut' }, expected((at) => at % 2 === 0 && at > 3000)],
    [{ totalMin: '5000' }, expected((at) => at % 4 === 0)],
    [{ q: 'walnut', totalMin: '5000' }, expected((at) => at % 4 === 0 && at > 3000)],
    [{ q: 'walnut', tag: 'gift', paymentStatus: 'paid' }, expected((at) => at % 30 === 0 && at > 3000)],
    [
      { q: 'walnut', tag: 'gift', paymentStatus: 'paid', totalMin: '5000', status: 'placed' },
      expected((at) => at % 60 === 0 && at > 3000),
    ],
    [{ paymentStatus: 'paid', totalMax: '100' }, expected((at) => at % 5 === 0 && at % 4 !== 0)],
    // Words of which one is rarer, and orders with both; states of which one is rarer.
    [{ q: 'wal' }, expected((at) => at % 7 === 0 || (at % 2 === 0 && at > 3000))],
    [{ q: 'waltz' }, expected((at) => at % 7 === 0)],
    [{ q: 'waltz o', totalMin: '5000' }, expected((at) => at % 28 === 0)],
    [{ archived: 'false', totalMin: '2' }, [seed.number, ...expected((at) => at <= 4001)]],
    [{ archived: 'true', tag: 'gift' }, expected((at) => at % 3 === 0 && at > 4001)],
    [{ archived: 'true', q: 'wal' }, expected((at) => (at % 7 === 0 || at % 2 === 0) && at > 4001)],
    [{ totalMin: '5000', totalMax: '5000', tag: 'gift' }, expected((at) => at % 12 === 0)],
  ];
  for (const [query, numbers] of cases) {
    for (const limit of [100, 7]) {
      const seen: string[] = [];
      let cursor: string | null = '';
      for (let page = 0; cursor !== null && page < 300; page++) {
        const parameters = new URLSearchParams({ limit: String(limit), ...query, ...(cursor && { cursor }) });
        const { body } = await tenant.staff.get(`/admin/orders?${parameters}`);
        seen.push(...body.items.map(({ number }: { number: string }) => number));
        cursor = body.nextCursor;
      }
      t.strictSame(
        seen,
        limit === 100 ? numbers : numbers.slice(0, seen.length),
        `${JSON.stringify(query)} by ${limit}`,
      );
      t.ok(seen.length >= Math.min(numbers.length, 30));
    }
  }
  t.strictSame(await find(tenant, { q: 'rare', tag: 'gift' }), []);
  t.match(await tenant.staff.get('/admin/orders?q=walnut&cursor=x'), { status: 400 });
  t.match((await tenant.staff.get(`/admin/orders?q=rare`)).body.items, exactly([{ id: seed.id }]));
});

t.test('an order that is placed without a name has words of its number and address only', async (t) => {
  const { id } = await place(box, draftOf({ number: 'X-9', customer: { email: 'ada@example.com' } }));
  const rows = await box.owner.query(`select word_from from order_words where order_id = '${id}' order by 1`);
  t.strictSame(rows, [{ wordFrom: '9' }, { wordFrom: 'ada@example.com' }, { wordFrom: 'x-9' }]);
});

t.test('a sigma is one letter, wherever in a word and however it is written', async (t) => {
  const tenant = await box.openTenant();
  const order = async (name: string) =>
    (await place(tenant, { customer: { email: `${newId()}@example.com`, name } })).number;
  const yorgos = await order('Γιώργος Παπαδόπουλος');
  for (const q of ['ΠΑΠΑΔΟΠΟΥΛΟΣ', 'παπαδοπουλος', 'παπαδοπουλοσ', 'ΓΙΩΡΓΟΣ', 'Γιώργος', 'γιωργος παπ']) {
    t.strictSame(await find(tenant, { q }), [yorgos], q);
  }
  const kostas = await order('ΜΑΡΊΑ ΚΏΣΤΑΣ');
  const other = await order('Κώστας');
  for (const q of ['Κώστας', 'κωστας', 'ΚΩΣΤΑΣ', 'κως', 'κωσ'])
    t.strictSame(await find(tenant, { q }), [other, kostas], q);
  // As an earlier release has stored it.
  await tenant.db.query("delete from order_words where tenant_id = $1 and word_from ~ 'σ$'", []);
  for (const q of ['ΓΙΩΡΓΟΣ', 'γιώργος', 'ΠΑΠΑΔΟΠΟΥΛΟΣ']) t.strictSame(await find(tenant, { q }), [yorgos], q);
});

t.test('digits of other scripts find a number', async (t) => {
  const tenant = await box.openTenant();
  const { number } = await place(tenant, { number: '1207' });
  for (const q of ['١٢٠٧', '๑๒๐', '１２０７']) t.strictSame(await find(tenant, { q }), [number], q);
});
