import neo4j, { type Integer, type Record as ResultRecord } from 'neo4j-driver';
import type { Params, Row } from './graph.ts';

/**
 * Parameters as the driver wants them: whole numbers become INTEGER (the driver sends every number as FLOAT), but a list
 * with one fraction stays FLOAT throughout, since a property holds one type. undefined becomes null.
 */
export function toDriverParams(params: Params): Record<string, unknown> {
  return toDriverMap(params);
}

/** Plain values: integers as numbers (bigint only where a number is not exact), temporals as ISO text, nodes as properties. */
export function toPlainRow(record: ResultRecord): Row {
  const row: Record<string, unknown> = {};
  record.forEach((value, column) => {
    row[String(column)] = toPlain(value);
  });
  return row;
}

/** As toPlainRow, without the columns that hold nothing: of a wide row most, and they would be most of its memory. */
export function toSparseRow(record: ResultRecord): Row {
  const row: Record<string, unknown> = {};
  record.forEach((value, column) => {
    if (value !== null) row[String(column)] = toPlain(value);
  });
  return row;
}

function toDriver(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? neo4j.int(value) : value;
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return value.some(item => typeof item === 'number' && !Number.isSafeInteger(item))
      ? value.map(item => (typeof item === 'number' ? item : toDriver(item)))
      : value.map(toDriver);
  }
  return toDriverMap(value as Params);
}

function toDriverMap(map: Params): Record<string, unknown> {
  const converted: Record<string, unknown> = {};
  for (const key of Object.keys(map)) converted[key] = toDriver(map[key]);
  return converted;
}

function toPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toPlain);
  if (neo4j.isInt(value)) return toNumber(value);
  if (neo4j.isNode(value) || neo4j.isRelationship(value)) return toPlainMap(value.properties);
  if (TEMPORAL.some(isOne => isOne(value))) return String(value);
  return toPlainMap(value as Record<string, unknown>);
}

const TEMPORAL: readonly ((value: object) => boolean)[] = [
  neo4j.isDateTime,
  neo4j.isDate,
  neo4j.isLocalDateTime,
  neo4j.isTime,
  neo4j.isLocalTime,
  neo4j.isDuration,
];

const toNumber = (value: Integer): number | bigint => (value.inSafeRange() ? value.toNumber() : value.toBigInt());

function toPlainMap(map: Record<string, unknown>): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const key of Object.keys(map)) plain[key] = toPlain(map[key]);
  return plain;
}
