class ReportsController < ApplicationController
  before_action :require_login

  SORTABLE = %w[created_at title].freeze

  def index
    @reports = current_user.reports.order(created_at: :desc)
  end
end
