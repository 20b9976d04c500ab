/**
 * The shared components of a document: each schema with an `$id`, and its example, is written once and referenced.
 */
import { sample } from 'openapi-sampler';
import type { MediaTypeObject, OpenApiBuilder, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { type TSchema, transformSchema } from '../http/schemas.ts';

/** Collects the named schemas and examples of a document while its operations are generated. */
export class Components {
  readonly #builder: OpenApiBuilder;
  readonly #named = new Map<string, TSchema>();
  readonly #exampled = new Set<string>();

  constructor(builder: OpenApiBuilder) {
    this.#builder = builder;
  }

  /**
   * Returns a schema for the document, with references to its named parts, which become components.
   * @throws Error when two different schemas have the same name
   */
  schema(schema: TSchema): SchemaObject {
    const refer = (named: TSchema): ReferenceObject => {
      const name = named.$id as string;
      const known = this.#named.get(name);
      if (known && known !== named && JSON.stringify(shown(known)) !== JSON.stringify(shown(named))) {
        throw new Error(`two different schemas are named ${name}`);
      }
      if (!known) {
        // Registered before its parts are visited, so that a schema may refer to itself.
        this.#named.set(name, named);
        this.#builder.addSchema(name, shown(transformSchema(named, refer)) as SchemaObject);
      }
      return { $ref: `#/components/schemas/${name}` };
    };
    return (schema.$id ? refer(schema) : shown(transformSchema(schema, refer))) as SchemaObject;
  }

  /** The content of a body: its schema and an example. */
  content(schema: TSchema): MediaTypeObject {
    const written = this.schema(schema);
    // Of several alternatives, the first is the common one.
    const common: TSchema = schema.$id ? schema : (schema.anyOf?.[0] ?? schema);
    const name = common.$id;
    if (name === undefined) return { schema: written, example: exampleOf(common) };
    if (!this.#exampled.has(name)) {
      this.#exampled.add(name);
      this.#builder.addExample(name, { value: exampleOf(common) });
    }
    return { schema: written, examples: { [name]: { $ref: `#/components/examples/${name}` } } };
  }
}

/** A schema without what only the validation of requests reads, so that requests and responses share one with trimmed texts. */
function shown(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shown);
  if (schema === null || typeof schema !== 'object') return schema;
  const own = Object.entries(schema).filter(
    ([key, value]) => key !== 'x-converted' || !String(value).startsWith('trimmed'),
  );
  return Object.fromEntries(own.map(([key, value]) => [key, shown(value)]));
}

/** Generates an example of a schema, from its `examples` where it has some. */
function exampleOf(schema: TSchema): unknown {
  return sample(schema as never, { quiet: true, enablePatterns: true });
}
