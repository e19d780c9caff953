import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/panel/',
  plugins: [react()],
  build: {
    target: 'es2022',
    // Inlined data: addresses and a polyfill in a <script> would both be refused by the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npm run dev --workspace panel` beside a running server.
  server: { proxy: { '/api': 'http://localhost:8080', '/files': 'http://localhost:8080' } },
});
