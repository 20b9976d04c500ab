/**
 * The shapes of a resource, from one list of its fields: what it is answered as, the page of its list, the bodies that
 * create and change it.
 */
import { type ObjectOptions, type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { externalFields, integrationPageOf } from '../http/integration.ts';
import { changeOf, object, timestamps, Uuid } from '../http/schemas.ts';

export interface ShapesDeclaration<
  Fields extends TProperties,
  Immutable extends TProperties,
  ReadOnly extends TProperties,
  CreateOnly extends TProperties,
  UpdateOnly extends TProperties,
> {
  /** What one is called in the document: `Region` gives `CreateRegion` and `ChangeRegion`. */
  name: string;
  /** The name of what staff are answered, where shoppers are answered less under the plain name. */
  itemName?: string;
  /** Given when it is created, and changed. One with a `default` need not be given. */
  fields: Fields;
  /** Given when it is created, answered, and never changed. */
  immutable?: Immutable;
  /** Answered, besides. */
  readOnly?: ReadOnly;
  /** Given when it is created, besides. */
  createOnly?: CreateOnly;
  /** Changed, besides. */
  updateOnly?: UpdateOnly;
}

type None = Record<never, never>;
type External = typeof externalFields;
type Times = typeof timestamps;

/**
 * `Item` is what is answered, with `id`, `externalId`, `metadata` and the times; `Page` one of a list that can be
 * followed; `Create` the body that creates one, as a handler is given it: with the defaults of what the caller left out;
 * `Change` the body that changes at least one field.
 * @example const { Item: AdminRegion, Page, Create, Change } = shapesOf({ name: 'Region', itemName: 'AdminRegion',
 *            fields: { name: Type.String(), taxInclusive: Type.Boolean({ default: false }) } });
 */
export function shapesOf<
  Fields extends TProperties,
  Immutable extends TProperties = None,
  ReadOnly extends TProperties = None,
  CreateOnly extends TProperties = None,
  UpdateOnly extends TProperties = None,
>({
  name,
  itemName = name,
  fields,
  immutable = {} as Immutable,
  readOnly = {} as ReadOnly,
  createOnly = {} as CreateOnly,
  updateOnly = {} as UpdateOnly,
}: ShapesDeclaration<Fields, Immutable, ReadOnly, CreateOnly, UpdateOnly>) {
  const own = { ...without(immutable), ...without(fields), ...without(readOnly) } as Immutable & Fields & ReadOnly;
  const properties = { id: Uuid, ...own, ...externalFields, ...timestamps };
  const Item = object(properties as { id: typeof Uuid } & Immutable & Fields & ReadOnly & External & Times, {
    $id: itemName,
  });
  return {
    name,
    Item,
    Page: integrationPageOf(Item, `${itemName}Page`),
    Create: bodyOf({ ...immutable, ...fields, ...createOnly, ...newFields }, { $id: `Create${name}` }) as TSchema & {
      static: Static<TObject<Immutable & Fields & CreateOnly & External>>;
    },
    Change: changeOf({ ...without(fields), ...updateOnly, ...externalFields } as Fields & UpdateOnly & External, {
      $id: `Change${name}`,
    }),
  };
}

const newFields = {
  externalId: { ...externalFields.externalId, default: null },
  metadata: { ...externalFields.metadata, default: {} },
};

/** An object that need not have the properties with a default: they are filled in. */
function bodyOf(properties: TProperties, options: ObjectOptions): TSchema {
  const entries = Object.entries(properties).map(([name, schema]): [string, TSchema] => [
    name,
    'default' in schema ? Type.Optional(schema) : schema,
  ]);
  return object(Object.fromEntries(entries), options);
}

/** Schemas without their defaults: what is answered is all there, and what is left out of a change stays. */
function without<T extends TProperties>(properties: T): T {
  const entries = Object.entries(properties).map(([name, schema]) => {
    const { default: _, ...rest } = schema;
    return [name, 'default' in schema ? rest : schema];
  });
  return Object.fromEntries(entries) as T;
}
