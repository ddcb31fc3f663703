//! `action.yml` and its scripts, run step by step on real repositories and a fake GitHub.

mod base;
mod before_plan;
mod comments;
mod documented;
mod evidence;
mod hostile;
mod inputs;
mod matrix;
mod measured;
mod own_commits;
mod policy;
mod programs;
mod pull_request;
mod refresh;
mod release;
mod scene;
mod shards;
mod stores;
mod why;
