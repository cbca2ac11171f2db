import { describe, expect, it } from 'vitest';
import { failureOf } from './load-client.ts';

describe('the failure behind an answer', () => {
  it('is the member of its problem document', () => {
    expect(failureOf(503, '{"title":"open","status":503,"failure":"breaker-open"}')).toBe('breaker-open');
  });

  it.each([
    [404, 'http-4xx'],
    [499, 'http-4xx'],
    [500, 'http-5xx'],
    [503, 'http-5xx'],
    [200, 'http-5xx'],
    [302, 'http-5xx'],
  ])('with status %i and no document is %s', (status, kind) => {
    expect(failureOf(status, '')).toBe(kind);
  });

  it.each(['null', '[]', '7', '{"failure":"sunspots"}', '{"failure":{}}', '{"failure":"timeout"', '<html>'])(
    'is what the status says when the body is %s',
    (body) => {
      expect(failureOf(500, body)).toBe('http-5xx');
    },
  );
});
