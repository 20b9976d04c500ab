/**
 * What the operations of a document share: each schema with an `$id` stands once among the components, and so does
 * its example.
 */
import { sample } from 'openapi-sampler';
import type { MediaTypeObject, OpenApiBuilder, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { type TSchema, transformSchema } from '../http/schemas.ts';

/** Collects the named schemas and examples of a document while its operations are written. */
export class Components {
  readonly #builder: OpenApiBuilder;
  readonly #named = new Map<string, TSchema>();
  readonly #exampled = new Set<string>();

  constructor(builder: OpenApiBuilder) {
    this.#builder = builder;
  }

  /**
   * A schema for the document: what has a name is put among the components and referred to.
   * @throws Error when two schemas that differ have one name
   */
  schema(schema: TSchema): SchemaObject {
    const refer = (named: TSchema): ReferenceObject => {
      const name = named.$id as string;
      const known = this.#named.get(name);
      if (known && known !== named && JSON.stringify(known) !== JSON.stringify(named)) {
        throw new Error(`two schemas that differ are called ${name}`);
      }
      if (!known) {
        // Remembered before its parts are visited, so that a schema may speak of itself.
        this.#named.set(name, named);
        this.#builder.addSchema(name, transformSchema(named, refer) as SchemaObject);
      }
      return { $ref: `#/components/schemas/${name}` };
    };
    return (schema.$id ? refer(schema) : transformSchema(schema, refer)) as SchemaObject;
  }

  /** Content of a body: its schema, with an example of it. */
  content(schema: TSchema): MediaTypeObject {
    const written = this.schema(schema);
    // Of alternatives the first is what is usual.
    const usual: TSchema = schema.$id ? schema : (schema.anyOf?.[0] ?? schema);
    const name = usual.$id;
    if (name === undefined) return { schema: written, example: exampleOf(usual) };
    if (!this.#exampled.has(name)) {
      this.#exampled.add(name);
      this.#builder.addExample(name, { value: exampleOf(usual) });
    }
    return { schema: written, examples: { [name]: { $ref: `#/components/examples/${name}` } } };
  }
}

/** A value of a schema, made of the schema's own `examples` where it has some. */
function exampleOf(schema: TSchema): unknown {
  return sample(schema as never, { quiet: true, enablePatterns: true });
}
