class ReportsController < ApplicationController
  before_action :require_login

  SORTABLE = %w[created_at title].freeze

  def index
    column = SORTABLE.include?(params[:sort]) ? params[:sort] : "created_at"
    @reports = current_user.reports.order(column => :desc)
  end
end
