import { expect, it } from 'vitest';
import { requestClasses, requestClassOf } from './request-class.ts';

it('of each ten requests in a row eight are orders, one is for the catalog and one for the user service', () => {
  for (const first of [0, 1, 7, 990]) {
    const classes = Array.from({ length: 10 }, (_, index) => requestClassOf(first + index));
    expect(requestClasses.map((name) => classes.filter((one) => one === name).length)).toEqual([8, 1, 1]);
  }
});
