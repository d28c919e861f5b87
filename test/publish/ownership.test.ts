import { expect, test } from 'vitest';
import { isOwn } from '../../src/publish/ownership.ts';

const by = (author: string, isBot: boolean, byViewer = false) => ({ author, isBot, byViewer });

test('our own identity counts whatever its name', () => {
  expect(isOwn(by('anyone', false, true), [])).toBe(true);
});

test('others count only when they are trusted', () => {
  expect(isOwn(by('helper', true), [])).toBe(false);
  expect(isOwn(by('helper', true), ['Helper[bot]'])).toBe(true);
  expect(isOwn(by('machine', false), ['machine'])).toBe(true);
});

test('an account cannot pass for the app of the same name, nor the other way round', () => {
  expect(isOwn(by('helper', false), ['helper[bot]'])).toBe(false);
  expect(isOwn(by('machine', true), ['machine'])).toBe(false);
});
