import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html, jsonForScript } from './html.ts';

test('what is put into a template is text', () => {
  const name = `</script><img src=x onerror='alert("1")'>&`;
  expect(html`<b title="${name}">${name}</b>`.markup).toBe(
    '<b title="&#60;/script&#62;&#60;img src=x onerror=&#39;alert(&#34;1&#34;)&#39;&#62;&#38;">' +
      '&#60;/script&#62;&#60;img src=x onerror=&#39;alert(&#34;1&#34;)&#39;&#62;&#38;</b>',
  );
});

test('templates nest, lists are joined, null is nothing', () => {
  const items = ['a', '<'].map((item) => html`<li>${item}</li>`);
  expect(html`<ul>${items}</ul>${null}${3}`.markup).toBe('<ul><li>a</li><li>&#60;</li></ul>3');
});

test('no text can bring markup into a template', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(html`${text}`.markup).not.toMatch(/[<>"']/);
    }),
  );
});

test('data in a script reads back as it was, and no text in it can end the script', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
      const { markup } = jsonForScript(JSON.parse(json));
      expect(JSON.parse(markup)).toEqual(JSON.parse(json));
      expect(markup).not.toMatch(/[<>&\u2028\u2029]/);
    }),
  );
  expect(jsonForScript({ name: '</script>\u2028' }).markup).toBe(
    String.raw`{"name":"\u003c/script\u003e\u2028"}`,
  );
});
