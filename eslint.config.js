// Strict type-checked rules, and the one direction in which imports may run.
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Imports run one way: patterns <- harness <- targets <- workers. What a room must not import: */
const forbidden = {
  patterns: ['harness', 'targets', 'workers'],
  harness: ['targets', 'workers'],
  targets: ['workers'],
};

const directions = Object.entries(forbidden).map(([room, others]) => ({
  files: [`src/${room}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^\\.\\./(${others.join('|')})/`,
            message: `src/${room} imports only from the rooms before it.`,
          },
          ...(room === 'patterns'
            ? [
                {
                  regex: '^[^.]',
                  allowTypeImports: true,
                  message: 'src/patterns is pure: time and randomness are passed in, nothing else.',
                },
              ]
            : []),
        ],
      },
    ],
  },
}));

export default defineConfig(
  { ignores: ['dist/', 'runs/', 'node_modules/', 'coverage/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  ...directions,
  {
    files: ['src/**/*.test.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
);
