/**
 * Reading recorded events. An event waits in the outbox, or in a delivery that is retried, with the type and the payload
 * of the release that recorded it; subscribers get it as this release defines it.
 */
import type { EventDefinition } from './event.ts';
import type { Subscriber } from './subscriber.ts';

interface Recorded {
  readonly type: string;
  readonly payload: unknown;
}

export interface EventReader {
  /**
   * The event with its type of today and the properties that its payload has today: what a payload must not have any more
   * reaches no subscriber, and what it did not have yet is null where it may be. An event that no package of the box
   * declares stays as it is.
   */
  read<Event extends Recorded>(recorded: Event): Event;
  /** Whether subscribers to all events get those of this type: not internal ones, nor undeclared ones, which may be. */
  isForAll(type: string): boolean;
}

/** @param declared the events of the packages of a box */
export function eventReader(declared: readonly EventDefinition[]): EventReader {
  const byType = new Map(declared.map((event) => [event.type, event]));
  const former = Map.groupBy(
    declared.flatMap((event) => (event.formerly ?? []).map((as) => ({ event, as }))),
    ({ as }) => as.type,
  );
  const definitionOf = ({ type, payload }: Recorded) =>
    former.get(type)?.find(({ as }) => as.when?.(payload as Record<string, unknown>) ?? true)?.event ??
    byType.get(type);
  return {
    read(recorded) {
      const definition = definitionOf(recorded);
      if (!definition) return recorded;
      return { ...recorded, type: definition.type, payload: readAs(definition.payload as Declared, recorded.payload) };
    },
    isForAll(type) {
      const definition = byType.get(type);
      return definition !== undefined && definition.internal === undefined;
    },
  };
}

interface Declared {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Declared>>;
  readonly items?: Declared;
  readonly anyOf?: readonly Declared[];
}

/** The declared properties of a value: releases add and remove fields, and give none another meaning. */
function readAs({ properties, items }: Declared, value: unknown): unknown {
  if (Array.isArray(value)) return items ? value.map((one) => readAs(items, one)) : value;
  if (!properties || typeof value !== 'object' || value === null) return value;
  const recorded = new Map(Object.entries(value));
  if (hasJust(properties, value)) return value;
  const read = Object.entries(properties).map(([name, declared]) => {
    const isLater = !recorded.has(name) && mayBeNull(declared);
    return [name, isLater ? null : readAs(declared, recorded.get(name))] as const;
  });
  return Object.fromEntries(read.filter(([, one]) => one !== undefined));
}

/** Whether a value has these properties and no others, and none of them has properties of its own: as most payloads. */
function hasJust(properties: Readonly<Record<string, Declared>>, value: object): boolean {
  const names = Object.keys(properties);
  const isPlain = (name: string) => {
    const one = value[name as keyof typeof value];
    return one !== undefined && (typeof one !== 'object' || one === null);
  };
  return Object.keys(value).length === names.length && names.every(isPlain);
}

function mayBeNull({ type, anyOf }: Declared): boolean {
  return type === 'null' || (Array.isArray(type) && type.includes('null')) || (anyOf?.some(mayBeNull) ?? false);
}

/** The same subscriber, which gets events that were recorded by any release. */
export function readingWith(reader: EventReader, subscriber: Subscriber): Subscriber {
  return { ...subscriber, handle: (db, event) => subscriber.handle(db, reader.read(event)) };
}
