/**
 * The rules of API changes, in both directions: each row changes one thing in a small document and lists what is found when
 * the change is made, and when it is undone.
 */
import t from 'tap';
import { compareDocuments } from '../compare.ts';
import type { Node } from '../document.ts';
import { small } from './small-document.ts';

/** `level rule side place` of each change. */
type Found = string[];

interface Row {
  name: string;
  change(document: Node): void;
  made: Found;
  undone: Found;
}

const list = (document: Node) => document.paths['/orders'].get;
const create = (document: Node) => document.paths['/orders'].post;
const schema = (document: Node, name: string) => document.components.schemas[name];

const rows: Row[] = [
  { name: 'nothing', change: () => {}, made: [], undone: [] },
  {
    name: 'words and examples only',
    change: (document) => {
      list(document).summary = 'List';
      schema(document, 'Order').description = 'An order';
      schema(document, 'Order').examples = [{}];
    },
    made: [],
    undone: [],
  },
  {
    name: 'an operation and its path',
    change: (document) => {
      document.paths['/carts'] = { get: list(small()) };
    },
    made: ['compatible operation-added - GET /carts'],
    undone: ['breaking operation-removed - GET /carts'],
  },
  {
    name: 'the name of an operation',
    change: (document) => {
      list(document).operationId = 'readOrders';
    },
    made: ['breaking operation-renamed - GET /orders'],
    undone: ['breaking operation-renamed - GET /orders'],
  },
  {
    name: 'a deprecation',
    change: (document) => {
      list(document).deprecated = true;
    },
    made: ['compatible operation-deprecated - GET /orders'],
    undone: [],
  },
  {
    name: 'an optional parameter',
    change: (document) => {
      list(document).parameters.push({ name: 'sort', in: 'query', schema: { type: 'string' } });
    },
    made: ['compatible parameter-added request GET /orders, query parameter sort'],
    undone: ['breaking parameter-removed request GET /orders, query parameter sort'],
  },
  {
    name: 'a required parameter, on the path for all its operations',
    change: (document) => {
      document.paths['/orders'].parameters = [
        { name: 'store', in: 'query', required: true, schema: { type: 'string' } },
      ];
    },
    made: [
      'breaking parameter-added request GET /orders, query parameter store',
      'breaking parameter-added request POST /orders, query parameter store',
    ],
    undone: [
      'breaking parameter-removed request GET /orders, query parameter store',
      'breaking parameter-removed request POST /orders, query parameter store',
    ],
  },
  {
    name: 'a parameter that becomes required',
    change: (document) => {
      list(document).parameters[0].required = true;
    },
    made: ['breaking parameter-required request GET /orders, query parameter limit'],
    undone: ['compatible parameter-optional request GET /orders, query parameter limit'],
  },
  {
    name: 'bounds of a parameter',
    change: (document) => {
      Object.assign(list(document).parameters[0].schema, { minimum: 2, maximum: 50 });
    },
    made: [
      'breaking bound-narrowed request GET /orders, query parameter limit',
      'breaking bound-narrowed request GET /orders, query parameter limit',
    ],
    undone: [
      'compatible bound-widened request GET /orders, query parameter limit',
      'compatible bound-widened request GET /orders, query parameter limit',
    ],
  },
  {
    name: 'a body that need not be sent',
    change: (document) => {
      create(document).requestBody.required = false;
    },
    made: ['compatible body-optional request POST /orders'],
    undone: ['breaking body-required request POST /orders'],
  },
  {
    name: 'no body',
    change: (document) => {
      delete create(document).requestBody;
    },
    made: ['breaking body-removed request POST /orders'],
    undone: ['breaking body-added request POST /orders'],
  },
  {
    name: 'another media type of a body',
    change: (document) => {
      create(document).requestBody.content['text/csv'] = { schema: { type: 'string' } };
    },
    made: ['compatible media-type-added request POST /orders, body'],
    undone: ['breaking media-type-removed request POST /orders, body'],
  },
  {
    name: 'an optional property of a request',
    change: (document) => {
      schema(document, 'NewOrder').properties.phone = { type: 'string' };
    },
    made: ['compatible property-added request NewOrder.phone'],
    undone: ['breaking property-removed request NewOrder.phone'],
  },
  {
    name: 'a required property of a request',
    change: (document) => {
      schema(document, 'NewOrder').properties.phone = { type: 'string' };
      schema(document, 'NewOrder').required.push('phone');
    },
    made: ['breaking property-added request NewOrder.phone'],
    undone: ['breaking property-removed request NewOrder.phone'],
  },
  {
    name: 'a property of a request that becomes required',
    change: (document) => {
      schema(document, 'NewOrder').required.push('note');
    },
    made: ['breaking property-required request NewOrder.note'],
    undone: ['compatible property-optional request NewOrder.note'],
  },
  {
    name: 'null is refused in a request',
    change: (document) => {
      schema(document, 'NewOrder').properties.note.type = 'string';
    },
    made: ['breaking type-narrowed request NewOrder.note'],
    undone: ['compatible type-widened request NewOrder.note'],
  },
  {
    name: 'a format in a request',
    change: (document) => {
      delete schema(document, 'NewOrder').properties.email.format;
    },
    made: ['compatible rule-widened request NewOrder.email'],
    undone: ['breaking rule-narrowed request NewOrder.email'],
  },
  {
    name: 'another format in a request',
    change: (document) => {
      schema(document, 'NewOrder').properties.email.format = 'idn-email';
    },
    made: ['breaking rule-changed request NewOrder.email'],
    undone: ['breaking rule-changed request NewOrder.email'],
  },
  {
    name: 'a value that a request may have',
    change: (document) => {
      schema(document, 'NewOrder').properties.kind.enum.push('gift');
    },
    made: ['compatible value-added request NewOrder.kind'],
    undone: ['breaking value-removed request NewOrder.kind'],
  },
  {
    name: 'a list of values in a request',
    change: (document) => {
      delete schema(document, 'NewOrder').properties.kind.enum;
    },
    made: ['compatible values-widened request NewOrder.kind'],
    undone: ['breaking values-narrowed request NewOrder.kind'],
  },
  {
    name: 'other properties in a request',
    change: (document) => {
      schema(document, 'NewOrder').additionalProperties = true;
    },
    made: ['compatible other-properties-widened request NewOrder'],
    undone: ['breaking other-properties-narrowed request NewOrder'],
  },
  {
    name: 'a new success status',
    change: (document) => {
      create(document).responses[202] = { description: 'Later' };
    },
    made: ['breaking response-added response POST /orders, 202'],
    undone: ['breaking response-removed response POST /orders, 202'],
  },
  {
    name: 'a refusal',
    change: (document) => {
      create(document).responses[409] = { description: 'No' };
    },
    made: ['compatible response-added response POST /orders, 409'],
    undone: ['breaking response-removed response POST /orders, 409'],
  },
  {
    name: 'a code of a refusal',
    change: (document) => {
      const { content } = list(document).responses[404];
      content['application/problem+json'].schema.allOf[1].properties.code.enum.push('shop_not_found');
    },
    made: ['compatible value-added response GET /orders, 404.code'],
    undone: ['breaking value-removed response GET /orders, 404.code'],
  },
  {
    name: 'the media type of an answer',
    change: (document) => {
      const { content } = create(document).responses[201];
      content['application/hal+json'] = content['application/json'];
      delete content['application/json'];
    },
    made: [
      'breaking media-type-removed response POST /orders, 201',
      'compatible media-type-added response POST /orders, 201',
    ],
    undone: [
      'breaking media-type-removed response POST /orders, 201',
      'compatible media-type-added response POST /orders, 201',
    ],
  },
  {
    name: 'a header of an answer',
    change: (document) => {
      list(document).responses[200].headers['X-Count'] = { schema: { type: 'integer' } };
    },
    made: ['compatible header-added response GET /orders, 200, header X-Count'],
    undone: ['breaking header-removed response GET /orders, 200, header X-Count'],
  },
  {
    name: 'a property of a response, reported once for all operations',
    change: (document) => {
      schema(document, 'Order').properties.note = { type: 'string' };
    },
    made: ['compatible property-added response Order.note'],
    undone: ['breaking property-removed response Order.note'],
  },
  {
    name: 'a property of an answer that may be missing',
    change: (document) => {
      schema(document, 'Order').required = ['id'];
    },
    made: ['breaking property-optional response Order.status'],
    undone: ['compatible property-required response Order.status'],
  },
  {
    name: 'a value that an answer may have',
    change: (document) => {
      schema(document, 'Order').properties.status.enum.push('held');
    },
    made: ['breaking value-added response Order.status'],
    undone: ['breaking value-removed response Order.status'],
  },
  {
    name: 'null in an answer',
    change: (document) => {
      schema(document, 'Order').properties.total = {
        anyOf: [{ $ref: '#/components/schemas/Money' }, { type: 'null' }],
      };
    },
    made: ['breaking alternative-widened response Order.total'],
    undone: ['compatible alternative-narrowed response Order.total'],
  },
  {
    name: 'a named schema becomes one of two alternatives under its name',
    change: (document) => {
      const { Money } = document.components.schemas;
      document.components.schemas.Money = { anyOf: [Money, { type: 'string' }] };
    },
    made: ['breaking alternative-widened response Money'],
    undone: ['compatible alternative-narrowed response Money'],
  },
  {
    name: 'deep in a schema that speaks of itself',
    change: (document) => {
      schema(document, 'Money').properties.amount.type = 'number';
    },
    made: ['breaking type-widened response Money.amount'],
    undone: ['compatible type-narrowed response Money.amount'],
  },
  {
    name: 'another type altogether',
    change: (document) => {
      schema(document, 'Money').properties.amount.type = 'string';
    },
    made: ['breaking type-changed response Money.amount'],
    undone: ['breaking type-changed response Money.amount'],
  },
  {
    name: 'a credential',
    change: (document) => {
      list(document).security.push({ secret: [] });
    },
    made: ['compatible security-added request GET /orders'],
    undone: ['breaking security-tightened request GET /orders'],
  },
  {
    name: 'no credential required',
    change: (document) => {
      list(document).security = [];
    },
    made: ['compatible security-added request GET /orders'],
    undone: ['breaking security-tightened request GET /orders'],
  },
  {
    name: 'two credentials together',
    change: (document) => {
      list(document).security = [{ staff: [], secret: [] }];
    },
    made: ['breaking security-tightened request GET /orders'],
    undone: ['compatible security-added request GET /orders'],
  },
  {
    name: 'an event',
    change: (document) => {
      document.webhooks['order.canceled'] = document.webhooks['order.placed'];
    },
    made: ['compatible operation-added - event order.canceled'],
    undone: ['breaking operation-removed - event order.canceled'],
  },
  {
    name: 'the payload of an event',
    change: (document) => {
      const { schema } = document.webhooks['order.placed'].post.requestBody.content['application/json'];
      schema.properties.total = { type: 'integer' };
    },
    made: ['compatible property-added response event order.placed, body.total'],
    undone: ['breaking property-removed response event order.placed, body.total'],
  },
  {
    name: 'the scheme behind a name',
    change: (document) => {
      document.components.securitySchemes.staff = { type: 'apiKey', in: 'header', name: 'X-Key' };
      create(document).security = [{}];
    },
    made: ['breaking security-tightened request GET /orders', 'compatible security-added request GET /orders'],
    undone: ['breaking security-tightened request GET /orders', 'compatible security-added request GET /orders'],
  },
];

for (const { name, change, made, undone } of rows) {
  t.test(name, async (t) => {
    const after = small();
    change(after);
    const found = (from: Node, to: Node) =>
      compareDocuments(from, to).map(({ level, rule, side, place }) => `${level} ${rule} ${side ?? '-'} ${place}`);
    t.strictSame(found(small(), after), made, 'made');
    t.strictSame(found(after, small()), undone, 'undone');
  });
}

t.test('a change of a shared schema names every operation it reaches', async (t) => {
  const after = small();
  schema(after, 'Order').properties.note = { type: 'string' };
  const [change] = compareDocuments(small(), after);
  t.strictSame(change?.operations, ['GET /orders', 'POST /orders']);
});

t.test('a reference that cannot be resolved is reported', async (t) => {
  const broken = small();
  delete broken.components.schemas.Order;
  t.throws(() => compareDocuments(small(), broken), /#\/components\/schemas\/Order cannot be resolved/);
});
