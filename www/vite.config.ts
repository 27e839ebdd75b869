import { defineConfig, type Plugin } from "vite";

/** Vite's development server puts styles inline; the page as it is built keeps its policy. */
const withoutPolicy: Plugin = {
	name: "without-policy",
	apply: "serve",
	transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ""),
};

export default defineConfig({
	// Relative, so that the page works under any path of any static host.
	base: "./",
	plugins: [withoutPolicy],
	build: {
		target: "es2023",
		// Nothing inline: the policy allows no `data:` but pictures, and the wasm streams better as a file.
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
	},
	worker: { format: "es" },
	server: { host: "127.0.0.1", fs: { allow: [".."] } },
	preview: { host: "127.0.0.1" },
});
