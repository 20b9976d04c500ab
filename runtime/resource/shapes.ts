/**
 * Derives the schemas of a resource from one list of its fields: the resource itself, a page of its list, and the bodies
 * that create and change it.
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
  /** The name in the document: `Region` gives `CreateRegion` and `ChangeRegion`. */
  name: string;
  /** The name of the schema for staff, where the plain name is that of a smaller schema for shoppers. */
  itemName?: string;
  /** Fields that are set at creation and can be changed. Those with a `default` are optional at creation. */
  fields: Fields;
  /** Fields that are set at creation and cannot be changed. */
  immutable?: Immutable;
  /** Fields of the resource only. */
  readOnly?: ReadOnly;
  /** Fields of the creating body only. */
  createOnly?: CreateOnly;
  /** Fields of the changing body only. */
  updateOnly?: UpdateOnly;
}

type None = Record<never, never>;
type External = typeof externalFields;
type Times = typeof timestamps;

/**
 * Returns four schemas: `Item`, the resource, with `id`, `externalId`, `metadata` and the times; `Page`, a page of its
 * list, with incremental reads; `Create`, the body that creates it, typed as handlers get it, with defaults filled in; and
 * `Change`, the body that changes at least one field.
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
  const own = { ...withoutDefaults(immutable), ...withoutDefaults(fields), ...withoutDefaults(readOnly) } as Immutable &
    Fields &
    ReadOnly;
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
    Change: changeOf(
      { ...withoutDefaults(fields), ...updateOnly, ...externalFields } as Fields & UpdateOnly & External,
      {
        $id: `Change${name}`,
      },
    ),
  };
}

const newFields = {
  externalId: { ...externalFields.externalId, default: null },
  metadata: { ...externalFields.metadata, default: {} },
};

/** An object whose properties with a default are optional. */
function bodyOf(properties: TProperties, options: ObjectOptions): TSchema {
  const entries = Object.entries(properties).map(([name, schema]): [string, TSchema] => [
    name,
    'default' in schema ? Type.Optional(schema) : schema,
  ]);
  return object(Object.fromEntries(entries), options);
}

/** Removes the defaults: a response has all properties, and properties omitted from a change stay as they are. */
function withoutDefaults<T extends TProperties>(properties: T): T {
  const entries = Object.entries(properties).map(([name, schema]) => {
    const { default: _, ...rest } = schema;
    return [name, 'default' in schema ? rest : schema];
  });
  return Object.fromEntries(entries) as T;
}
