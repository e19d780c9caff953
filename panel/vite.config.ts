import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/panel/',
  plugins: [react()],
  build: {
    target: 'es2022',
    // The Content-Security-Policy blocks data URLs and a polyfill in a <script>.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // For `npm run dev --workspace panel` next to a running server.
  server: { proxy: { '/api': 'http://localhost:8080', '/files': 'http://localhost:8080' } },
});
