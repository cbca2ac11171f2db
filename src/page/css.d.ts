/** Style sheets that the bundler takes in beside the script. */
declare module '*.css';
