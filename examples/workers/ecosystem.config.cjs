// For `pm2 start`. Three processes that compete through one file.
module.exports = {
  apps: [
    {
      name: 'nightly-report',
      script: 'worker.mjs',
      cwd: __dirname,
      instances: 3,
      exec_mode: 'fork',
      // Longer than `stopBoundMs` (10 s): a worker that is asked to stop finishes, and hands over at once.
      kill_timeout: 12_000,
      env: { TENURE_FILE: '.tenure/tenure.db', RESULTS_FILE: 'results.jsonl' },
    },
  ],
};
