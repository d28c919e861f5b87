/** A small shop's cart whose tests carry the identifiers of an issue's criteria. */

export const CART_BASE = {
  'package.json': '{ "name": "cart", "private": true, "type": "module" }\n',
  'cart.js': 'export const total = prices => prices.length;\n',
  'test/cart.test.js': `import { test } from 'node:test';
import assert from 'node:assert/strict';
import { total } from '../cart.js';
test('AC-3 an empty cart costs nothing', () => assert.equal(total([]), 0));
`,
};

/** AC-1 is met, AC-2 is not (the share is taken off twice), AC-3 was met before. */
export const CART_CHANGE = {
  'cart.js': `export const total = prices => prices.reduce((sum, price) => sum + price, 0);
export const discounted = (prices, share) => total(prices) * (1 - share) * (1 - share);
`,
  'test/cart.test.js': `${CART_BASE['test/cart.test.js']}import { discounted } from '../cart.js';
test('AC-1 adds two prices', () => assert.equal(total([1, 2]), 3));
test('AC-2 takes the discount once', () => assert.equal(discounted([100], 0.5), 50));
`,
};

export const CART_ISSUE = `The cart is wrong.

## Acceptance criteria
- [ ] AC-1: prices are added up
- [ ] AC-2: a discount is taken off once
- [ ] AC-3: an empty cart costs nothing
- [ ] It reads well
`;

export const CART_POLICY = `tests: { image: node, command: 'node --test {target}', timeout_s: 60 }
sandbox: { memory_mb: 1024 }
`;
