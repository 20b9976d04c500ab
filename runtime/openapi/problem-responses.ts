/**
 * The problem responses of an operation, by status, each with its possible codes (RFC 9457). A set of codes that several
 * operations share becomes one component, since problem responses make up most of a document.
 */
import type { OpenApiBuilder, ReferenceObject, ResponseObject, ResponsesObject, SchemaObject } from 'openapi3-ts/oas31';
import { problemsOf } from '../http/operation.ts';
import { invalidRequest, Problem, type ProblemType } from '../http/problems.ts';
import type { RouteDeclaration } from '../http/route.ts';
import { transformSchema } from '../http/schemas.ts';
import { problemHeadersOf } from './headers.ts';

export const problemMediaType = 'application/problem+json';

export const problemSchema: SchemaObject = {
  type: 'object',
  description: 'An error (RFC 9457)',
  required: ['type', 'title', 'status', 'detail', 'code', 'instance'],
  properties: {
    type: { type: 'string', description: 'URI of the problem type' },
    title: { type: 'string', description: 'Summary of the problem type' },
    status: { type: 'integer', description: 'HTTP status code' },
    detail: { type: 'string', description: 'Explanation of this occurrence' },
    code: { type: 'string', description: 'Stable code of the problem type, for programs' },
    instance: { type: 'string', description: 'Identifies the request in the logs' },
    errors: {
      type: 'array',
      description: 'The invalid parts of the request',
      items: {
        type: 'object',
        required: ['in', 'pointer', 'detail'],
        properties: {
          in: { type: 'string', enum: ['body', 'query', 'path', 'header'], description: 'Part of the request' },
          pointer: { type: 'string', description: 'JSON Pointer to the field (RFC 6901)' },
          detail: { type: 'string', description: 'What is wrong with the field' },
        },
      },
    },
  },
};

/** Generates the problem responses of operations. It gets all declarations first, to know which responses they share. */
export class ProblemResponses {
  readonly #builder: OpenApiBuilder;
  readonly #common: readonly ProblemType[];
  readonly #uses = new Map<string, number>();

  constructor(builder: OpenApiBuilder, common: readonly ProblemType[], declarations: readonly RouteDeclaration[]) {
    this.#builder = builder;
    this.#common = common;
    for (const declaration of declarations) {
      for (const problems of this.#byStatus(declaration).values()) {
        const name = nameOf(problems);
        this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
      }
    }
  }

  /** The responses of one operation, by status. */
  of(declaration: RouteDeclaration): ResponsesObject {
    return Object.fromEntries(
      [...this.#byStatus(declaration)].map(([status, problems]) => [status, this.#shared(problems)]),
    );
  }

  #byStatus(declaration: RouteDeclaration): Map<number, ProblemType[]> {
    return Map.groupBy(problemsOf(declaration, this.#common), ({ status }) => status);
  }

  #shared(problems: readonly ProblemType[]): ResponseObject | ReferenceObject {
    const name = nameOf(problems);
    if (this.#uses.get(name) === 1) return this.#response(problems);
    if (!this.#builder.getSpec().components?.responses?.[name])
      this.#builder.addResponse(name, this.#response(problems));
    return { $ref: `#/components/responses/${name}` };
  }

  #response(problems: readonly ProblemType[]): ResponseObject {
    for (const problem of problems) this.#builder.addExample(problem.code, { value: exampleOf(problem) });
    const codes = problems.map(({ code }) => code);
    return {
      description: problems.map(({ code, title }) => `\`${code}\`: ${title}`).join('\n\n'),
      headers: problemHeadersOf(problems[0]?.status as number),
      content: {
        [problemMediaType]: {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Problem' },
              { type: 'object', properties: { code: { type: 'string', enum: codes }, ...membersOf(problems) } },
            ],
          },
          examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    };
  }
}

/** The extension members of the problems. */
function membersOf(problems: readonly ProblemType[]): Record<string, SchemaObject> {
  const members = problems.flatMap((problem) => Object.entries(problem.members ?? {}));
  return Object.fromEntries(members.map(([name, schema]) => [name, transformSchema(schema)]));
}

/** `invalid_request` and `malformed_json` give `InvalidRequestOrMalformedJson`. */
function nameOf(problems: readonly ProblemType[]): string {
  const names = problems.map(({ code }) =>
    code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  return names.sort().join('Or');
}

function exampleOf(type: ProblemType) {
  const detail = 'must be an e-mail address';
  const errors = [{ in: 'body' as const, pointer: '/email', detail }];
  return new Problem(type, undefined, type.code === invalidRequest.code ? { errors } : {}).toJSON('0198f5a2-7c1e');
}
