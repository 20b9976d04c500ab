/**
 * A small document of an API, which the tests of comparing change one thing of.
 */
import type { Node } from '../document.ts';

export function small(): Node {
  return {
    openapi: '3.1.0',
    info: { title: 'Store', version: '1' },
    paths: {
      '/orders': {
        get: {
          operationId: 'listOrders',
          security: [{ staff: [] }],
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } }],
          responses: {
            200: {
              description: 'Done',
              headers: { ETag: { schema: { type: 'string' } } },
              content: {
                'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Order' } } },
              },
            },
            404: {
              description: 'No',
              content: {
                'application/problem+json': {
                  schema: {
                    allOf: [
                      { $ref: '#/components/schemas/Problem' },
                      { type: 'object', properties: { code: { enum: ['not_found'] } } },
                    ],
                  },
                },
              },
            },
          },
        },
        post: {
          operationId: 'createOrder',
          security: [{ staff: [] }, {}],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/NewOrder' } } },
          },
          responses: {
            201: {
              description: 'Made',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
            },
          },
        },
      },
    },
    webhooks: {
      'order.placed': {
        post: {
          operationId: 'onOrderPlaced',
          requestBody: { required: true, content: { 'application/json': { schema: placedOrder() } } },
          responses: { '2XX': { description: 'Taken' } },
        },
      },
    },
    components: {
      securitySchemes: { staff: { type: 'http', scheme: 'bearer' }, secret: { type: 'http', scheme: 'basic' } },
      schemas: {
        NewOrder: {
          type: 'object',
          additionalProperties: false,
          required: ['email'],
          properties: {
            email: { type: 'string', format: 'email', maxLength: 200 },
            note: { type: ['string', 'null'] },
            kind: { type: 'string', enum: ['retail', 'trade'] },
          },
        },
        Order: {
          type: 'object',
          additionalProperties: false,
          required: ['id', 'status'],
          properties: {
            id: { type: 'string', format: 'uuid' },
            status: { type: 'string', enum: ['placed', 'canceled'] },
            total: { $ref: '#/components/schemas/Money' },
            parent: { anyOf: [{ $ref: '#/components/schemas/Order' }, { type: 'null' }] },
          },
        },
        Money: { type: 'object', required: ['amount'], properties: { amount: { type: 'integer' } } },
        Problem: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
      },
    },
  };
}

function placedOrder(): Node {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['number'],
    properties: { number: { type: 'string' } },
  };
}
